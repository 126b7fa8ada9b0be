"""How a check says that it did not hold, or could not be made."""


class Broken(Exception):
    """The failure is back; the text says what was seen."""


class Unavailable(Exception):
    """The check needs something that is not here; the text names it."""


def require(holds, seen):
    """Raises Broken unless `holds`."""
    if not holds:
        raise Broken(seen)
