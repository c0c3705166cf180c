import inspect
import time
import types

import jwt
import pytest
import target_module

KEY = "a key of the utility, and 32 or more"


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
    """Texts that everybody knows who has a copy of the program."""
    found = {t for name, value in vars(target_module).items() if not name.startswith("__") for t in texts_in(value)}
    return sorted(t for t in found if 0 < len(t) < 100)


def attempt(call):
    try:
        return call()
    except Exception as error:
        return error


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch):
    for name in ("GATEWAY_KEY", "GATEWAY_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)


def forged(key):
    return jwt.encode({"sub": "m-1", "exp": int(time.time()) + 99}, key, algorithm="HS256")


def test_no_key_no_token():
    result = attempt(lambda: TokenDesk().issue("m-1", 0))
    assert isinstance(result, RuntimeError), f"a token was signed with a key that nobody set: {result!r}"


@pytest.mark.parametrize("value", ["", "   ", "short", "x" * 31])
def test_poor_key_is_not_replaced(monkeypatch, value):
    monkeypatch.setenv("GATEWAY_KEY", value)
    result = attempt(lambda: TokenDesk().issue("m-1", 0))
    assert isinstance(result, RuntimeError), f"with the key {value!r} a token was signed: {result!r}"


def test_empty_key_file_is_no_key(monkeypatch, tmp_path):
    (tmp_path / "key").write_text("\n")
    monkeypatch.setenv("GATEWAY_KEY_FILE", str(tmp_path / "key"))
    result = attempt(lambda: TokenDesk().issue("m-1", 0))
    assert isinstance(result, RuntimeError), f"an empty file was replaced by another key: {result!r}"


def test_lost_key_file_is_no_key(monkeypatch, tmp_path):
    monkeypatch.setenv("GATEWAY_KEY_FILE", str(tmp_path / "gone"))
    result = attempt(lambda: TokenDesk().issue("m-1", 0))
    assert isinstance(result, RuntimeError), f"a lost file was replaced by another key: {result!r}"


@pytest.mark.parametrize("given", [True, False])
def test_tokens_of_readers_are_refused(monkeypatch, given):
    if given:
        monkeypatch.setenv("GATEWAY_KEY", KEY)
    for key in known_to_readers():
        result = attempt(lambda: TokenDesk().meter_of(forged(key)))
        assert isinstance(result, Exception), f"a token signed with {key!r} from the program counts for {result}"


@pytest.mark.parametrize("key", [KEY, "k" * 32, "another key that is long enough, yes"])
def test_tokens_are_signed_with_the_set_key(monkeypatch, key):
    monkeypatch.setenv("GATEWAY_KEY", key)
    token = attempt(lambda: TokenDesk().issue("m-1", int(time.time())))
    claims = attempt(lambda: jwt.decode(token, key, algorithms=["HS256"]))
    assert not isinstance(claims, Exception), f"the token does not verify with the set key: {claims!r}"


def test_exchanged_key_ends_old_tokens(monkeypatch):
    monkeypatch.setenv("GATEWAY_KEY", KEY)
    token = TokenDesk().issue("m-1", int(time.time()))
    monkeypatch.setenv("GATEWAY_KEY", "z" * 40)
    result = attempt(lambda: TokenDesk().meter_of(token))
    assert isinstance(result, PermissionError), f"a token of the exchanged key still counts: {result!r}"


def test_file_goes_before_the_variable(monkeypatch, tmp_path):
    (tmp_path / "key").write_text("f" * 40)
    monkeypatch.setenv("GATEWAY_KEY", KEY)
    monkeypatch.setenv("GATEWAY_KEY_FILE", str(tmp_path / "key"))
    assert attempt(lambda: TokenDesk().meter_of(forged("f" * 40))) == "m-1", "the file's key counts"
    assert isinstance(attempt(lambda: TokenDesk().meter_of(forged(KEY))), PermissionError), "the variable's does not"
