# kills calendar-import-client redirects_followed
from unittest.mock import MagicMock

from target_module import CalendarImport


def make_session():
    session = MagicMock()
    session.get.return_value.status_code = 200
    session.get.return_value.json.return_value = {"entries": [{"day": "1", "title": "x"}]}
    return session


def test_does_not_follow_redirects():
    session = make_session()
    found = CalendarImport({"c": "https://c.example/v1/"}, session=session).month(
        "c", "north", 2024, 5
    )
    assert len(found) == 1
    assert session.get.call_args.kwargs["allow_redirects"] is False
