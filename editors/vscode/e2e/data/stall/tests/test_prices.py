from reports.prices import apply_tax, format_price, price_of


def test_tax_is_added():
    assert round(apply_tax(100), 2) == 119


def test_price_of_an_item():
    assert round(price_of("apple", {"apple": 1.0}), 2) == 1.19


def test_format():
    assert format_price(2) == "2.00 EUR"
