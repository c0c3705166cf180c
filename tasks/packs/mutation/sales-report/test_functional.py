import pytest


class Sales:
    def __init__(self, rows):
        self._rows = rows

    def rows(self, month):
        return iter(self._rows)


def test_report():
    answer = sales_report(lambda dsn: Sales([("north", 10), ("south", 2.5)]), "db://x", "2024-05")
    text = answer["report"]
    assert text == "north: 10.00\nsouth: 2.50\ntotal: 12.50", f"unexpected report: {text}"


def test_empty_month():
    assert sales_report(lambda dsn: Sales([]), "db://x", "2024-05") == {"ok": True, "report": "total: 0.00"}, "no sales, no lines"


@pytest.mark.parametrize("month", ["2024", "2024-13", "may"])
def test_bad_month(month):
    with pytest.raises(ValueError):
        sales_report(lambda dsn: Sales([]), "db://x", month)


def test_reference_is_in_the_log(caplog):
    import re

    reference = sales_report(lambda dsn: 1 / 0, "db://x", "2024-05")["reference"]
    assert re.fullmatch(r"[0-9A-F]{8}", reference), "form of the reference"
    assert any(reference in r.getMessage() for r in caplog.records), "support finds the reference"
