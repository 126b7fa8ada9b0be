"""The exceptions with which a check reports a failure, or that it could not run."""


class Broken(Exception):
    """The failure has returned. The message describes the evidence."""


class Unavailable(Exception):
    """The check needs something that is not installed or permitted. The message names it."""


def require(condition, message):
    """Raises Broken unless the condition is true."""
    if not condition:
        raise Broken(message)
