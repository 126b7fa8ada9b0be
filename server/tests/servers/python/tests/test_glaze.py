from glaze import shine


def test_shine():
    assert shine("cake") == "cake"
