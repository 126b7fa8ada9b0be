"""What was sold, by day and week."""

from .prices import apply_tax, format_price, price_of


class Report:
    """Sales of one day."""

    def __init__(self, catalogue: dict[str, float]) -> None:
        self.catalogue = catalogue
        self.sold: list[str] = []

    def sell(self, item: str) -> None:
        """Notes that an item was sold."""
        self.sold.append(item)

    def total(self) -> float:
        """The income of the day, with tax."""
        return sum(price_of(item, self.catalogue) for item in self.sold)

    def summary(self) -> str:
        """The income of the day in words."""
        return f"{len(self.sold)} items for {format_price(self.total())}"


def weekly_total(reports: list[Report]) -> float:
    """The income of several days."""
    return sum(report.total() for report in reports)


def with_tip(amount: float) -> str:
    """An amount and the tip, with tax."""
    return format_price(apply_tax(amount) + 1)
