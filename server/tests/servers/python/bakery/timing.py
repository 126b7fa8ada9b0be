"""Measuring how long functions take."""

import functools
import time


def timed(function):
    @functools.wraps(function)
    def measured(*args, **kwargs):
        began = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            report(function.__name__, time.perf_counter() - began)

    return measured


def repeated(times):
    def decorate(function):
        def several(*args):
            return [function(*args) for _ in range(times)]

        return several

    return decorate


def report(name, seconds):
    print(f"{name} took {seconds:.1f} s")
