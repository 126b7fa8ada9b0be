"""Prices as customers see them."""

TAX = 0.19


def apply_tax(price: float) -> float:
    """The price with tax."""
    return price * (1 + TAX)


def price_of(item: str, catalogue: dict[str, float]) -> float:
    """What an item costs in the shop."""
    return apply_tax(catalogue[item])


def format_price(price: float) -> str:
    """A price with its currency."""
    return f"{price:.2f} EUR"
