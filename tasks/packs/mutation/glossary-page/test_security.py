from html.parser import HTMLParser

import pytest


class Page(HTMLParser):
    def __init__(self, source):
        super().__init__()
        self.tags, self.text, self.attributes = set(), "", []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += attributes

    def handle_data(self, data):
        self.text += data


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<ScRiPt>alert(1)</sCrIpT>",
    "<scr<script>ipt>alert(1)</script>",
    "</h1></em><svg onload=alert(1)>",
    "<b>bold</b>",
    "<iframe src=//evil.example>",
    "&lt;i&gt;",
]
HOSTILE = {"script", "img", "svg", "b", "iframe", "i"}


def page_for(glossary, term):
    answer = create_app(glossary).test_client().get("/lookup", query_string={"term": term})
    return answer.status_code, Page(answer.text)


@pytest.mark.parametrize("attack", ATTACKS)
def test_unknown_word_is_repeated_as_text(attack):
    status, page = page_for({}, attack)
    assert status == 404, "the word is not there"
    assert not page.tags & HOSTILE, f"reflected XSS: markup {page.tags} from {attack}"
    assert attack in page.text, f"XSS: {attack} is not shown letter for letter"


@pytest.mark.parametrize("attack", ATTACKS)
def test_known_word_is_repeated_as_text(attack):
    status, page = page_for({attack.lower(): "strange"}, attack)
    assert status == 200, "the word is there"
    assert not page.tags & HOSTILE, f"reflected XSS: markup {page.tags} from {attack}"
    assert attack in page.text, f"XSS: {attack} is not shown letter for letter"


@pytest.mark.parametrize("attack", ATTACKS)
def test_explanation_is_shown_as_text(attack):
    _, page = page_for({"gnu": attack}, "gnu")
    assert not page.tags & HOSTILE, f"stored XSS: markup {page.tags} from {attack}"
    assert attack in page.text, f"XSS: {attack} is not shown letter for letter"


def test_braces_are_text_as_well():
    for text in ("{meaning}", "{{7*7}}", "{word.__class__}"):
        _, page = page_for({"gnu": text, text: text}, "gnu")
        assert text in page.text, f"the explanation {text} is not shown letter for letter"
