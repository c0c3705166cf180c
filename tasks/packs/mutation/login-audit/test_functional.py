import logging


def test_accepted(caplog):
    caplog.set_level(logging.INFO, logger="audit")
    note_login("maria", "192.0.2.7", True)
    (record,) = caplog.records
    assert record.levelno == logging.INFO and record.name == "audit", "level and logger"
    assert all(word in record.getMessage() for word in ("accepted", "maria", "192.0.2.7")), "all is told"


def test_refused(caplog):
    note_login("max.müller", "2001:db8::1", False)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING, "a refusal is a warning"
    assert all(word in record.getMessage() for word in ("refused", "max.müller", "2001:db8::1")), "all is told"


def test_percent_signs(caplog):
    note_login("100%s", "192.0.2.7", False)
    assert "100%s" in caplog.records[0].getMessage(), "signs of formatting are plain text"
