from html.parser import HTMLParser

import pytest


class Page(HTMLParser):
    def __init__(self, source):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_data(self, data):
        self.text.append(data)


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<SCRIPT >alert(1)</SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<svg/onload=alert(1)>",
    "</p></article><iframe src=javascript:alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "<!-- <b> -->",
    "&lt;script&gt;",
    "&#60;b&#62;",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_author_is_shown_as_text(attack):
    page = Page(review_card(attack, "fine", 3))
    assert sorted(set(page.tags)) == ["article", "h3", "p"], f"XSS: the author brought in markup: {page.tags}"
    assert attack in page.text, f"XSS: {attack} is not shown letter for letter"


@pytest.mark.parametrize("attack", ATTACKS)
def test_text_is_shown_as_text(attack):
    page = Page(review_card("Nora", f"fine\n{attack}\n{attack}", 3))
    assert sorted(set(page.tags)) == ["article", "h3", "p"], f"XSS: the text brought in markup: {page.tags}"
    assert page.text.count(attack) == 2, f"XSS: {attack} is not shown letter for letter"


@pytest.mark.parametrize("attack", ['" onmouseover="alert(1)', "\" autofocus onfocus=alert(1) x=\"", '"><b>', "' onclick='x", "a&quot; onclick=x"])
def test_author_stays_inside_the_attribute(attack):
    page = Page(review_card(attack, "fine", 3))
    assert page.attributes == [("data-author", attack)], f"XSS: the attribute was left: {page.attributes}"


@pytest.mark.parametrize("stars", ["<script>", "3", -1, 0, 6, "★"])
def test_stars_are_a_number(stars):
    with pytest.raises((ValueError, TypeError)):
        review_card("Nora", "fine", stars)
