"""What is baked, and how."""

from dataclasses import dataclass, field
from functools import lru_cache

import toppings
from toppings import Cream

from .appliances import Appliance, Oven, SteamOven
from .timing import repeated, timed


@dataclass
class Step:
    text: str
    minutes: int = 0

    def start(self):
        return self.text


@dataclass
class Recipe:
    title: str
    steps: list[Step] = field(default_factory=list)

    @classmethod
    def parse(cls, text):
        title, *lines = text.splitlines()
        return cls(title, [Step(line.strip()) for line in lines])

    @property
    def minutes(self):
        return sum(step.minutes for step in self.steps)

    @staticmethod
    def degrees(minutes):
        return clamp(240 - minutes, 100, 240)

    def topped(self):
        cream = Cream(sugar=2)
        cream.whip(3)
        return toppings.spread(self, cream)


@timed
def bake(recipe: Recipe, oven: Appliance | None = None):
    oven = oven or Oven("oven")
    oven.start(Recipe.degrees(recipe.minutes))
    for step in recipe.steps:
        step.start()
    oven.stop()
    return recipe.topped()


@repeated(times=2)
def steam(recipe):
    oven = SteamOven("steam")
    oven.start(recipe.minutes)
    return oven


@lru_cache
def clamp(value, low, high):
    return max(low, min(value, high))
