import json
from html.parser import HTMLParser

import pytest


class Page(HTMLParser):
    def __init__(self, source):
        super().__init__()
        self.elements, self.texts, self.path = [], {}, []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag != "input":
            self.path.append(tag)

    def handle_endtag(self, tag):
        if tag in self.path:
            del self.path[len(self.path) - 1 - self.path[::-1].index(tag):]

    def handle_data(self, data):
        place = self.path[-1] if self.path else ""
        self.texts[place] = self.texts.get(place, "") + data


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</b></q></h2><svg onload=alert(1)>",
    "</script><script>alert(1)</script>",
    "</ScRiPt ><img src=x onerror=alert(1)>",
    "<!--<script>",
    '"><iframe src=//evil.example>',
    '" autofocus onfocus="alert(1)',
    "' onfocus='alert(1)",
    "&lt;u&gt; {{ 7*7 }}",
]
ORDINARY = {"title", "form", "input", "h2", "ul", "li", "b", "q", "script", "html", "head", "body", "p", "h1", "label", "button", "meta"}


def page(client, **query):
    answer = client.get("/", query_string=query)
    assert answer.status_code == 200, "the page is shown"
    found = Page(answer.text)
    tags = [tag for tag, _ in found.elements]
    assert set(tags) <= ORDINARY and tags.count("script") == 1 and tags.count("input") == 1, f"XSS: elements {tags}"
    for tag, attributes in found.elements:
        assert not [name for name in attributes if name.startswith("on") or name == "autofocus"], f"XSS on {tag}: {attributes}"
    return found


def shown(found):
    return json.loads(found.texts["script"])


@pytest.fixture
def client(tmp_path):
    return create_app(str(tmp_path / "book.db")).test_client()


@pytest.mark.parametrize("attack", ATTACKS)
def test_stored_guest(client, attack):
    client.post("/entries", data={"guest": attack, "message": "hello"})
    found = page(client)
    assert found.texts.get("b") == attack, f"stored XSS: the guest {attack} is not shown letter for letter"
    assert shown(found) == {"count": 1, "guests": [attack]}, f"stored XSS: {attack} left the script's data"


@pytest.mark.parametrize("attack", ATTACKS)
def test_stored_message(client, attack):
    client.post("/entries", data={"guest": "Ann", "message": attack})
    found = page(client)
    assert found.texts.get("q") == attack, f"stored XSS: the message {attack} is not shown letter for letter"


@pytest.mark.parametrize("attack", ATTACKS)
def test_reflected_name(client, attack):
    found = page(client, **{"from": attack})
    field = next(attributes for tag, attributes in found.elements if tag == "input")
    assert field.get("value") == attack, f"reflected XSS: {attack} left the field: {field}"
    assert found.texts.get("h2") == attack, f"reflected XSS: {attack} is not shown letter for letter"


ENTRIES = [{}, {"guest": "Ann"}, {"message": "x"}, {"guest": " ", "message": "x"}, {"guest": "Ann", "message": " \n"}]
ENTRIES += [{"guest": "x" * 81, "message": "y"}, {"guest": "Ann", "message": "y" * 2001}]


@pytest.mark.parametrize("fields", ENTRIES)
def test_entries_are_of_ordinary_size(client, fields):
    assert client.post("/entries", data=fields).status_code == 400, "an entry of another size was taken"
    assert shown(page(client)) == {"count": 0, "guests": []}, "an entry of another size was stored"


@pytest.mark.parametrize("attack", ATTACKS)
def test_chosen_guest_with_entries(client, attack):
    client.post("/entries", data={"guest": attack, "message": attack})
    client.post("/entries", data={"guest": "Ann", "message": "other"})
    found = page(client, **{"from": attack})
    assert found.texts.get("b") == attack == found.texts.get("q"), f"stored XSS: {attack}"
    assert shown(found) == {"count": 1, "guests": [attack]}, f"stored XSS: {attack} left the script's data"
