"""A bakery: what others import of it is named here."""

from .appliances import Fridge, Oven
from .recipes import Recipe as Recipe
from .timing import timed

__all__ = ["Fridge", "Oven", "Recipe", "timed"]
