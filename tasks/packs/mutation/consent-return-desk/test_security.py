import pytest


@pytest.fixture
def desk():
    made = ReturnDesk()
    made.register("notes", ["https://notes.example/done", "https://notes.example/other?mode=a", "http://127.0.0.1:1/done"])
    made.register("maps", ["https://maps.example/back"])
    made.register("local", ["http://127.0.0.1/cb"])
    return made


def sent(desk, address, client="notes"):
    try:
        return desk.answer(client, address, {"code": "canary"})
    except ValueError:
        return None


ADDRESSES = [
    "https://evil.example/done", "https://notes.example.evil.example/done", "https://evilnotes.example/done", "https://a.notes.example/done", "https://notes.example@evil.example/done", "https://notes.example:x@evil.example/done",
    "https://notes.example/", "https://notes.example", "https://notes.example/done/", "https://notes.example/done/../evil", "https://notes.example/donee", "https://notes.example/don", "https://notes.example/Done", "https://notes.example/done?x=1",
    "https://notes.example/other", "https://notes.example/other?mode=b", "https://notes.example/other?mode=a&mode=b", "https://notes.example/done;x", "https://notes.example/%64one", "https://notes.example//done",
    "http://notes.example/done", "ftp://notes.example/done", "//notes.example/done", "//evil.example/done", "/done", "notes.example/done", "https://notes.example:444/done", "https://notes.example:80/done", "https:/notes.example/done", "https:///done",
    "javascript://notes.example/done", "https://evil.example\\@notes.example/done", "https://notes.example\\.evil.example/done", "https://notes.example/done#", "https://notes.example/done#x", "https://notes.example/done\n", " https://notes.example/done",
    "https://maps.example/back", "https://127.0.0.1/done", "http://127.0.0.1/", "http://127.0.0.1/cb", "http://127.0.0.1:9/done?x=1", "http://127.0.0.1:9/done/x", "http://127.0.0.2:9/done", "http://evil127.0.0.1/done", "http://x.127.0.0.1:9/done", "http://127.0.0.1x/done", "http://127.0.0.1.evil.example/done", "http://127.0.0.1@evil.example/done",
    "http://127.0.0.1:80@evil.example/done", "http://127.0.0.1:x/done", "http://127.0.0.1:99999/done", "http://localhost:9/done", "http://[::1]/done", "", None, "https://", "https://n", "https://notes.exampl/done", "http://evil.example/done", "http://127.0.0/done",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_only_registered_addresses(desk, address):
    assert sent(desk, address) is None, f"open redirect: users are sent to {sent(desk, address)!r}"


def test_addresses_of_other_programs(desk):
    for client in ("nobody", "maps", "local", "", "note"):
        found = sent(desk, "https://notes.example/done", client)
        assert found is None, f"open redirect: {client!r} sends users to {found!r}"
    assert sent(desk, None, "nobody") is None, "open redirect: an unknown program"


@pytest.mark.parametrize("address", [
    "http://evil.example/cb", "http://localhost/cb", "http://127.0.0.1.evil.example/", "http://127.0.0.1@evil.example/", "javascript:alert(1)", "ftp://a.example/", "https://a@b.example/", "https://b.example/#a", "https://b.example/#", "https:///a", "//b.example/", "/a", "",
    "https://b.example\\c", "https://b.example/a b", "https://b.example/\n", "https://b.example:x/", "https://[b.example/", "https://\u00e9.example/", "data:text/html,x", "http://10.0.0.1/", "http://x.127.0.0.1/", "http://evil127.0.0.1/",
])
def test_registration(desk, address):
    for addresses in ([address], ["https://fine.example/", address]):
        with pytest.raises(ReturnError):
            desk.register("new", addresses)
    assert sent(desk, address, "new") is None, f"open redirect: {address!r} was registered"


def test_registered_addresses_still_work(desk):
    assert sent(desk, "https://notes.example/other?mode=a") == "https://notes.example/other?mode=a&code=canary", "a registered address"
    assert sent(desk, "http://127.0.0.1:5000/done") == "http://127.0.0.1:5000/done?code=canary", "any port of the user's machine"
    assert sent(desk, None, "maps") == "https://maps.example/back?code=canary", "the only address"
