"""A package in a folder of sources, which tests import by its name."""


def shine(cake):
    return cake
