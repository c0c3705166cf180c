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


PLAIN = {"p", "br", "strong", "em", "code", "pre", "ul", "li", "blockquote", "h2", "h3"}
ALLOWED = {**{tag: set() for tag in PLAIN}, "a": {"href", "rel", "target"}, "img": {"src", "alt"}}


def page(text):
    found = Page(render_post(text))
    for tag, attributes in found.elements:
        assert tag in ALLOWED, f"XSS: the element {tag} came in by {text!r}"
        assert not attributes.keys() - ALLOWED[tag], f"XSS: {attributes} came in by {text!r}"
        href, src = attributes.get("href", "/x"), attributes.get("src", "https://x")
        assert href.startswith(("http://", "https://", "mailto:", "/")) and not href.startswith(("//", "/\\")), f"XSS: link to {href!r}"
        assert src.startswith("https://"), f"XSS: picture from {src!r}"
    return found


MARKUP = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<scr<script>ipt>alert(1)</script>",
    "</p></li></pre></code><svg onload=alert(1)>",
    "<b>x</b>",
    '"><i>',
    "&lt;u&gt;",
]
PLACES = ["{}", "- {}", "> {}", "# {}", "## {}", "**{}**", "*{}*", "`{}`", "```\n{}\n```", "```\n{}", "a\n{}\nb", "[{}](https://x.example)", "[{}](nowhere)", "![{}](nowhere)", "x *y* {}", "{} **y** z"]


@pytest.mark.parametrize("place", PLACES)
def test_markup_is_shown_as_text_everywhere(place):
    for attack in MARKUP:
        found = page(place.format(attack))
        assert attack in found.text, f"XSS: {attack} in {place!r} is not shown letter for letter"


@pytest.mark.parametrize("attack", MARKUP + ['" onerror="alert(1)', "' onerror='alert(1)", 'x" src="y'])
def test_label_of_a_picture_stays_in_its_attribute(attack):
    found = page(f"![{attack}](https://img.example/1.png)")
    images = [attributes for tag, attributes in found.elements if tag == "img"]
    assert images and images[0]["alt"] == attack, f"XSS: the label {attack} left its attribute"


TAILS = ['"onclick="alert`1`', '"><script>alert`1`</script>', "'onerror='x", '"/onmouseover="x', "&quot;onclick=x"]


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("start", ["https://x.example/", "/forum/", "mailto:a@x.example?subject=", "http://x.example/"])
def test_addresses_stay_in_their_attribute(start, tail):
    for mark, name in (("", "href"), ("!", "src")):
        found = page(f"{mark}[x]({start}{tail})")
        values = [attributes[name] for _, attributes in found.elements if name in attributes]
        assert values in ([], [start + tail]), f"XSS: {start + tail} left its attribute: {values}"


ADDRESSES = [
    "javascript:alert`1`",
    "JAVASCRIPT:alert`1`",
    "javascript://x.example/%0aalert`1`",
    "javascript:'https://x.example'",
    "java&#115;cript:alert`1`",
    "\x01javascript:alert`1`",
    "data:text/html,<script>alert`1`</script>",
    "data:image/svg+xml;base64,PHN2Zz4=",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://x.example",
    "//evil.example/x",
    "/\\evil.example",
    "https:evil",
    "https:/evil",
    "http:",
    "https//:javascript",
    "httpsjavascript:alert`1`",
    "[::1",
    "https://[bad",
    "",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_links_and_pictures_lead_only_where_allowed(address):
    for text in (f"[label]({address})", f"![label]({address})", f"- [label]({address})"):
        found = page(text)
        assert not [tag for tag, _ in found.elements if tag in ("a", "img")], f"XSS: linked to {address!r}"


def test_pictures_come_only_by_https():
    for address in ("http://img.example/1.png", "/local.png", "mailto:a@x.example"):
        assert "img" not in [tag for tag, _ in page(f"![x]({address})").elements], f"picture from {address}"


def test_marks_inside_one_another():
    for text in ("**[x](javascript:alert`1`)**", "[**<b>**](https://x.example)", "`<b>` *<i>* **<u>**", "![a](https://x.example)<script>"):
        page(text)
