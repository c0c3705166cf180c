import pytest

DSN = "postgresql://reporter:Winter-7!@db-internal.corp:5432/sales"
SECRETS = ("Winter-7!", "reporter", "db-internal", "5432", "postgresql", "10.1.2.3", "/srv/app", "tbl_sales",
           "SELECT", "Traceback", "File ", "Error", "line ", "Exception")


class Failing:
    def __init__(self, error):
        self.error = error

    def rows(self, month):
        yield "north", 3
        raise self.error


def at_connect(error):
    def connect(dsn):
        raise error

    return connect


class Refused(Exception):
    """As database libraries have it: what happened is in the attributes."""

    def __init__(self):
        super().__init__("refused")
        self.dsn, self.statement = DSN, "SELECT * FROM tbl_sales"


ERRORS = {
    "attributes": Refused(),
    "password": ConnectionError(f"login failed for {DSN}"),
    "host": OSError(113, "no route to host 10.1.2.3:5432"),
    "statement": RuntimeError('relation "tbl_sales" does not exist: SELECT secret FROM tbl_sales'),
    "path": FileNotFoundError(2, "No such file", "/srv/app/certs/client.key"),
    "key": KeyError("reporter"),
}


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("place", ["connect", "rows"])
def test_reader_learns_nothing_of_the_inside(name, place):
    error = ERRORS[name]
    connect = at_connect(error) if place == "connect" else (lambda dsn: Failing(error))
    try:
        text = str(sales_report(connect, DSN, "2024-05"))
    except Exception as raised:
        text = f"raised {raised!r}"
    told = [s for s in SECRETS if s in text]
    assert not told, f"the reader is told {told}"


def test_wrong_rows_are_not_shown():
    class Odd:
        def rows(self, month):
            return [("north", "Winter-7!")]

    try:
        text = str(sales_report(lambda dsn: Odd(), DSN, "2024-05"))
    except Exception as raised:
        text = f"raised {raised!r}"
    assert not any(s in text for s in SECRETS), f"a row's content or an exception is shown: {text}"


def test_text_does_not_depend_on_the_cause():
    answers = [sales_report(at_connect(e), DSN, "2024-05") for e in ERRORS.values()]
    assert len({tuple(sorted(a)) for a in answers}) == 1, "the fields tell the kind of trouble"
    assert len({a["message"] for a in answers}) == 1, "the message tells the kind of trouble"
