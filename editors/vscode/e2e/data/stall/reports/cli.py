"""Prints the report of a day."""

from .sales import Report, with_tip


def main() -> None:
    """Sells two things and prints the report."""
    report = Report({"apple": 1.0, "pear": 1.5})
    report.sell("apple")
    report.sell("pear")
    print(report.summary())
    print(with_tip(2.0))


if __name__ == "__main__":
    main()
