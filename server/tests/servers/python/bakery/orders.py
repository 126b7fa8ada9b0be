"""Orders of a day, kept in files."""

import json
import os.path
from pathlib import Path as Place

from . import Oven, Recipe, recipes
from .recipes import bake as make


class Orders:
    def __init__(self, folder, oven=None):
        self.folder = folder
        self.oven = oven or Oven("day")
        self.recipes = {}

    def file(self, name):
        return os.path.join(self.folder, name)

    def load(self, name):
        with open(self.file(name)) as stream:
            for title, text in json.load(stream).items():
                self.recipes[title] = Recipe.parse(text)
        return self

    def folders(self):
        return [str(place) for place in Place(self.folder).iterdir()]

    def fulfil(self, title):
        recipe = self.recipes[title]
        cake = make(recipe, self.oven)
        self.oven.log(title)
        return cake

    def everything(self):
        started = [self.fulfil(title) for title in sorted(self.recipes)]
        recipes.steam(Recipe("bread"))
        return started


def whatever(box):
    box.start(1)
    box.fulfil("bread")
    return box.unheard_of()
