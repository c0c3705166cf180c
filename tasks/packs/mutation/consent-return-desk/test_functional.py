import pytest


def desk():
    made = ReturnDesk()
    made.register("notes", ["https://notes.example/done?a=1", "http://127.0.0.1/done"])
    made.register("maps", ["https://maps.example/back"])
    return made


def test_result_is_added():
    assert desk().answer("maps", "https://maps.example/back", {"code": "a b"}) == "https://maps.example/back?code=a+b", "the query"
    assert desk().answer("notes", "https://notes.example/done?a=1", {"code": "7"}) == "https://notes.example/done?a=1&code=7", "behind what is there"


def test_only_address():
    assert desk().answer("maps", None, {"x": "1"}) == "https://maps.example/back?x=1", "the only one"
    with pytest.raises(ReturnError):
        desk().answer("notes", None, {})


def test_free_port():
    assert desk().answer("notes", "http://127.0.0.1:5123/done", {"c": "1"}) == "http://127.0.0.1:5123/done?c=1", "any port"


def test_unknown():
    for client, address in (("nobody", "https://maps.example/back"), ("maps", "https://elsewhere.example/"), ("maps", "")):
        with pytest.raises(ReturnError):
            desk().answer(client, address, {})
    for addresses in ([], ["maps.example"], ["http://maps.example/"], ["https://a.example/#b"]):
        with pytest.raises(ReturnError):
            desk().register("x", addresses)
