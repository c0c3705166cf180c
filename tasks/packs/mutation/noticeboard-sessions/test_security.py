import inspect
import types

import pytest
import target_module
from flask import Flask

COMMON = ["dev", "secret", "changeme", "password", "admin", "test", "open-sesame", "", "None", "dev-key"]


def texts_in(thing):
    if isinstance(thing, (types.FunctionType, staticmethod, classmethod)):
        thing = inspect.unwrap(getattr(thing, "__func__", thing))
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, (tuple, list, set, frozenset)):
        for entry in thing:
            yield from texts_in(entry)
    elif isinstance(thing, dict):
        yield from texts_in([*thing, *thing.values()])
    elif isinstance(thing, types.CodeType):
        yield from texts_in(thing.co_consts)
    elif isinstance(thing, types.FunctionType):
        yield from texts_in((thing.__code__, thing.__defaults__ or (), thing.__kwdefaults__ or {}))
    elif isinstance(thing, type) and thing.__module__ == "target_module":
        yield from texts_in(list(vars(thing).values()))


def known_to_readers():
    """What somebody who has the program, but not its environment, may try."""
    found = {t for name, value in vars(target_module).items() if not name.startswith("__") for t in texts_in(value)}
    return sorted({t for t in found if len(t) < 100} | set(COMMON))


def forged(key):
    other = Flask("attacker")
    other.secret_key = key
    return other.session_interface.get_signing_serializer(other).dumps({"name": "mayor"})


@pytest.fixture
def started(monkeypatch):
    monkeypatch.setenv("BOARD_SECRET_KEY", "a key of the town hall")
    monkeypatch.setenv("BOARD_TICKET", "blue-42")
    return create_app()


@pytest.mark.parametrize("value", [None, ""])
def test_no_start_without_a_key(monkeypatch, value):
    monkeypatch.delenv("BOARD_SECRET_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("BOARD_SECRET_KEY", value)
    try:
        app = create_app()
    except RuntimeError:
        app = None
    assert app is None, f"the board signs sessions with a key that nobody set: {app.secret_key!r}"


def test_session_cannot_be_forged_with_what_the_program_holds(started):
    for key in filter(None, known_to_readers()):
        client = started.test_client()
        client.set_cookie("session", forged(key))
        status = client.post("/notices", data={"text": "x"}).status_code
        assert status == 401, f"a session signed with {key!r} is accepted"


def test_two_boards_do_not_accept_each_others_sessions(monkeypatch, started):
    client = started.test_client()
    client.set_cookie("session", forged("another key of another board"))
    assert client.post("/notices", data={"text": "x"}).status_code == 401, "a foreign session is accepted"
    client.set_cookie("session", forged("a key of the town hall"))
    assert client.post("/notices", data={"text": "x"}).status_code == 201, "sessions do not depend on the set key"


@pytest.mark.parametrize("value", [None, ""])
def test_without_a_ticket_nobody_enters(monkeypatch, started, value):
    monkeypatch.delenv("BOARD_TICKET")
    if value is not None:
        monkeypatch.setenv("BOARD_TICKET", value)
    client = started.test_client()
    for ticket in known_to_readers():
        status = client.post("/enter", data={"name": "x", "ticket": ticket}).status_code
        assert status == 403, f"no ticket is set, and {ticket!r} opens the board"


def test_only_the_set_ticket_enters(started):
    client = started.test_client()
    for ticket in known_to_readers():
        status = client.post("/enter", data={"name": "x", "ticket": ticket}).status_code
        assert status == 403, f"{ticket!r} opens the board beside the ticket that is set"
    assert client.post("/enter", data={"name": "x", "ticket": "blue-42"}).status_code == 204, "the set one enters"


@pytest.mark.parametrize("value, expected", [(None, False), ("", False), ("blue-42", True), ("red-7", False)])
def test_ticket_is_compared_with_what_is_set(monkeypatch, value, expected):
    monkeypatch.delenv("BOARD_TICKET", raising=False)
    if value is not None:
        monkeypatch.setenv("BOARD_TICKET", value)
    assert ticket_fits("blue-42") is expected, f"with {value!r} set"
    assert ticket_fits("") is False, "nothing given is no ticket"
