"""What stands in the kitchen."""

from abc import ABC, abstractmethod


class Appliance(ABC):
    def __init__(self, name):
        self.name = name
        self.running = False

    @abstractmethod
    def start(self, degrees): ...

    def stop(self):
        self.running = False
        self.log("stopped")

    def log(self, message):
        print(f"{self.name}: {message}")

    def __repr__(self):
        return self.describe()

    def describe(self):
        return self.name.title()


class Oven(Appliance):
    def start(self, degrees):
        self.running = True
        self.log(f"heats to {degrees}")

    def stop(self):
        super().stop()
        self.cool()

    def cool(self):
        self.log("cools")


class SteamOven(Oven):
    def __init__(self, name, water=1):
        super().__init__(name)
        self.water = water

    def start(self, degrees):
        self.fill()
        super().start(min(degrees, 100))

    def fill(self):
        self.water += 1


class Fridge(Appliance):
    def start(self, degrees):
        self.running = degrees < 10

    def describe(self):
        return "cold " + super().describe()
