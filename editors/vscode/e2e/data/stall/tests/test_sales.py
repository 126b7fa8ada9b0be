from reports.sales import Report, weekly_total


def test_total_of_a_day():
    report = Report({"apple": 1.0})
    report.sell("apple")
    assert round(report.total(), 2) == 1.19


def test_total_of_a_week():
    assert weekly_total([Report({}), Report({})]) == 0
