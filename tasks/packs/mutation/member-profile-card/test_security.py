from html.parser import HTMLParser

import pytest


class Page(HTMLParser):
    def __init__(self, source):
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


ALLOWED = {"section": {"style"}, "h2": set(), "p": set(), "a": {"href", "rel", "target"}, "img": {"src", "alt"}}


def page(**fields):
    found = Page(ProfileCard(**{"name": "Liv", **fields}).html())
    for tag, attributes in found.elements:
        assert tag in ALLOWED, f"XSS: the element {tag} came in"
        assert not attributes.keys() - ALLOWED[tag], f"XSS: the attributes {attributes} came in on {tag}"
        for name in ("href", "src"):
            address = attributes.get(name, "https://x")
            assert address.lower().startswith(("http://", "https://")), f"XSS: a link to {address}"
        assert not attributes.get("style") or len(attributes["style"].strip(";")) == 13, f"XSS: style {attributes}"
    return found


MARKUP = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</h2></p><svg onload=alert(1)>", "<scr<script>ipt>", "<b onclick=x>", "&lt;u&gt;"]
QUOTES = ['" onerror="alert(1)', '"><script>alert(1)</script>', "' onload='x", 'x" style="position:fixed']


@pytest.mark.parametrize("text", MARKUP + QUOTES)
def test_name_is_text(text):
    found = page(name=text, avatar="https://img.example/1.png")
    assert text in found.text, f"XSS: the name {text} is not shown letter for letter"
    images = [attributes for tag, attributes in found.elements if tag == "img"]
    assert images and images[0]["alt"] == text, f"XSS: the attribute was left by {text}"


@pytest.mark.parametrize("text", MARKUP + QUOTES)
def test_about_is_text(text):
    assert text in page(about=text).text, f"XSS: the text {text} is not shown letter for letter"


SCHEMES = [
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "javascript://example.org/%0aalert(1)",
    "javascript:alert('https://x')",
    "data:text/html,<script>alert(1)</script>",
    "data:text/html;base64,PHNjcmlwdD4=",
    "vbscript:msgbox(1)",
    "\x01javascript:alert(1)",
    "blob:https://x/y",
    "file:///etc/passwd",
    "//evil.example/x",
    "https:",
    "http:javascript",
    "[::bad",
    "https://[bad",
]


@pytest.mark.parametrize("address", SCHEMES)
def test_homepage_leads_only_to_the_web(address):
    assert [tag for tag, _ in page(homepage=address).elements if tag == "a"] == [], f"XSS: a link to {address!r}"


@pytest.mark.parametrize("address", SCHEMES)
def test_avatar_comes_only_from_the_web(address):
    assert [tag for tag, _ in page(avatar=address).elements if tag == "img"] == [], f"XSS: a picture from {address!r}"


@pytest.mark.parametrize("tail", QUOTES + MARKUP)
def test_addresses_stay_inside_their_attributes(tail):
    address = "https://liv.example/?q=" + tail
    found = page(homepage=address, avatar=address)
    for name in ("href", "src"):
        values = [attributes[name] for _, attributes in found.elements if name in attributes]
        assert values in ([address], []), f"XSS: the attribute {name} was left: {values}"
    assert address in found.text or not [t for t, _ in found.elements if t == "a"], "XSS: the address is shown as markup"


COLOURS = ["red;background:url(javascript:alert(1))", '#fff"><script>', "#a0b1c2;x:expression(alert(1))", "#a0b1c2\n", "#a0b1c2 ", "expression(alert(1))", '" onclick="x', "x#a0b1c2"]


@pytest.mark.parametrize("colour", COLOURS)
def test_colour_is_only_a_colour(colour):
    found = page(colour=colour)
    assert "style" not in found.elements[0][1], f"XSS: the style {found.elements[0][1]} came in"
