import logging

import pytest

BREAKS = ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\x1c", "\x1e"]
FORGED = "WARNING audit login accepted: user=root"


def messages(caplog, user, address, success=False):
    caplog.set_level(logging.INFO, logger="audit")
    note_login(user, address, success)
    return [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize("success", [True, False])
@pytest.mark.parametrize("line_break", BREAKS)
def test_user_cannot_begin_a_new_line(caplog, line_break, success):
    found = messages(caplog, f"eve{line_break}{FORGED}", "192.0.2.7", success)
    assert len(found) == 1 and len(found[0].splitlines()) == 1, f"log injection: the user forged a line: {found}"


@pytest.mark.parametrize("line_break", BREAKS)
def test_address_cannot_begin_a_new_line(caplog, line_break):
    found = messages(caplog, "eve", f"192.0.2.7{line_break}{FORGED}")
    assert len(found) == 1 and len(found[0].splitlines()) == 1, f"log injection: the address forged a line: {found}"


@pytest.mark.parametrize("control", ["\x1b[2J", "\x1b]0;x\x07", "\x08" * 9, "\x00", "\x7f", "\x9b1A", "\t\x1f"])
def test_no_control_characters_reach_the_log(caplog, control):
    for user, address in ((f"eve{control}", "192.0.2.7"), ("eve", f"192.0.2.7{control}")):
        for text in messages(caplog, user, address):
            assert all(c >= " " and not "\x7f" <= c <= "\x9f" for c in text), f"log injection: control characters in {text!r}"


def test_the_attempt_is_still_told(caplog):
    (text,) = messages(caplog, "eve\n\n" * 3 + FORGED, "192.0.2.7\nx")
    assert "eve" in text and "192.0.2.7" in text and "refused" in text, "the hostile login is noted"


def test_several_breaks_are_all_neutralised(caplog):
    (text,) = messages(caplog, "a\nb\nc\r\nd\re", "f\n\ng")
    assert not set(text) & {"\n", "\r"}, f"log injection: only the first break was neutralised: {text!r}"
