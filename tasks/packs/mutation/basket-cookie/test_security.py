import base64
import hashlib
import hmac
import json
import pickle as real_pickle

import pytest

KEY = b"key of the shop"
RAN = []


def arena_mark(*args):
    RAN.append(args)
    return {"cup": 1}


class Attack:
    def __reduce__(self):
        return arena_mark, ("x",)


def sealed(data, key=KEY):
    code = hmac.digest(key, data, hashlib.sha256)
    return [".".join(f(part).decode() for part in (data, code)) for f in (base64.urlsafe_b64encode, base64.b64encode)]


def harmless(cookie):
    RAN.clear()
    pickle.reset()
    yaml.reset()
    marshal.reset()
    try:
        found = read_basket(cookie, KEY)
    except Exception:
        found = {}
    assert not RAN, "deserialisation: a cookie ran code"
    assert not pickle.unsafe_load_called, "deserialisation: a cookie was unpickled"
    assert not yaml.unsafe_load_called and not marshal.unsafe_load_called, "deserialisation: a cookie was loaded with objects"
    return found == {}


@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
@pytest.mark.parametrize("value", [Attack(), {"cup": Attack()}])
def test_cookie_runs_no_code(protocol, value):
    data = real_pickle.dumps(value, protocol)
    plain = base64.urlsafe_b64encode(data).decode()
    for cookie in (plain, plain + ".", plain + "." + "A" * 44, *sealed(data, b"other"), *sealed(data)):
        assert harmless(cookie), "deserialisation: a pickle was taken for a basket"


@pytest.mark.parametrize("text", [
    "{'cup': 1}", "cup: 1", "!!python/object/apply:os.getcwd []", "{'cup': __import__('os').environ.setdefault('ARENA_RAN', '1') and 1}",
    '{"__class__": "builtins.dict", "__args__": []}', '{"cup": "1"}', '{"cup": true}', '{"cup": 1.0}', '{"cup": 100}', '{"cup": -1}', '["cup"]', "3", "null", '{"cup": [1]}', "[" * 20_000,
    json.dumps({str(n): 1 for n in range(51)}),
])
def test_only_baskets(text):
    assert all(harmless(cookie) for cookie in sealed(text.encode())), f"deserialisation: {text[:60]} was read as a basket"
    assert not os.environ.get("ARENA_RAN"), f"deserialisation: {text} was evaluated"


def test_cookies_of_others():
    data, _, code = write_basket({"cup": 1}, KEY).partition(".")
    forged = base64.urlsafe_b64encode(b'{"cup":9}').decode()
    other = write_basket({"cup": 1}, b"another key")
    for cookie in (other, data, data + ".", data + "." + code[:4], forged + "." + code, forged + ".", "." + code, data + "." + code + "." + code, data + "." + "A" * len(code)):
        assert harmless(cookie), "deserialisation: a basket was taken whose signature does not fit"


def test_written_baskets_are_data():
    data = write_basket({"cup": 1}, KEY).partition(".")[0]
    assert not base64.urlsafe_b64decode(data).startswith(b"\x80"), "deserialisation: baskets are written as pickles"
    assert read_basket(write_basket({"cup": 1}, KEY), KEY) == {"cup": 1}, "own cookies are read"
    assert not pickle.unsafe_load_called, "deserialisation: own cookies are unpickled"
