import re
import sqlite3

import pytest


@pytest.fixture
def now():
    return [1000.0]


@pytest.fixture
def desk(now):
    return CodeDesk(sqlite3.connect(":memory:"), clock=lambda: now[0])


def other(code):
    return f"{(int(code) + 1) % 10**6:06d}"


def test_code_is_accepted_once(desk):
    ticket, code = desk.issue("ada")
    assert re.fullmatch(r"[0-9a-f]{32,}", ticket) and re.fullmatch(r"\d{6}", code), "shapes of ticket and code"
    assert desk.check(ticket, code) is Result.ACCEPTED, "the right code is accepted"
    assert desk.check(ticket, code) is Result.UNKNOWN, "and only once"


def test_wrong_codes_lock(desk):
    ticket, code = desk.issue("ada")
    results = [desk.check(ticket, other(code)) for _ in range(5)]
    assert results == [Result.WRONG] * 4 + [Result.LOCKED], f"unexpected results: {results}"
    assert desk.check(ticket, code) is Result.LOCKED, "a locked ticket stays locked"


def test_expiry_and_sweep(desk, now):
    ticket, code = desk.issue("ada")
    now[0] += 301
    assert desk.check(ticket, code) is Result.EXPIRED, "an old code is expired"
    assert desk.sweep() == 1, "one ticket was expired"
    assert desk.check(ticket, code) is Result.UNKNOWN, "a swept ticket is unknown"


def test_backup_codes(desk):
    codes = desk.backup_codes("ada", 12)
    assert len(set(codes)) == 12, "twelve different codes"
    assert all(re.fullmatch(r"[a-z0-9]{5}-[a-z0-9]{5}", c) for c in codes), f"unexpected shapes: {codes}"
