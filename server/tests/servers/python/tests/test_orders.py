import unittest

from bakery import Fridge, Recipe
from bakery.orders import Orders, whatever


class OrdersTest(unittest.TestCase):
    def setUp(self):
        self.orders = Orders("/orders", Fridge("fridge"))

    def test_fulfil(self):
        self.orders.recipes["cake"] = Recipe.parse("cake\nstir")
        self.assertEqual(self.orders.fulfil("cake").title, "cake")

    def test_whatever(self):
        with self.assertRaises(AttributeError):
            whatever(self.orders)
