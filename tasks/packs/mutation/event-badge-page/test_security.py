import html
import re

import pytest

KEY = "key-c0ffee-key"


def shown(**query):
    """Name and event as a browser shows them."""
    answer = create_app(KEY).test_client().get("/badge", query_string=query)
    assert answer.status_code == 200, f"template injection: the page broke with {answer.status_code}"
    assert KEY not in answer.text, "template injection: the key of the service was told"
    name, event = re.search(r"<h1>(.*?)</h1>.*<em>(.*?)</em>", answer.text, re.S).groups()
    return html.unescape(name), html.unescape(event)


EXPRESSIONS = [
    "{{ 7 * 7 }}",
    "{{7*7}}",
    "{{ config }}",
    "{{ config.SECRET_KEY }}",
    "{{ config.items() | list }}",
    "{{ self.__init__.__globals__ }}",
    "{{ request.application.__globals__ }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ cycler.__init__.__globals__.os.getcwd() }}",
    "{{ lipsum.__globals__ }}",
    "{{ get_flashed_messages.__globals__ }}",
    "{% for c in 'ab' %}x{% endfor %}",
    "{% if 1 %}yes{% endif %}",
    "{% set x = 1 %}{{ x }}",
    "{# gone #}",
    "a{{",
    "{% broken",
    "{{ name }} {{ event }}",
    "{{ 'x' | upper }}",
]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_name_is_no_template(text):
    assert shown(name=text)[0] == text, f"template injection: the name {text} was evaluated"


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_event_is_no_template(text):
    assert shown(name="Ida", event=text)[1] == text, f"template injection: the event {text} was evaluated"


def test_both_together():
    assert shown(name="{% raw %}", event="{% endraw %}{{ config.SECRET_KEY }}") == (
        "{% raw %}",
        "{% endraw %}{{ config.SECRET_KEY }}",
    ), "template injection over two values"


def test_markup_stays_text():
    page = create_app(KEY).test_client().get("/badge", query_string={"name": "<i>", "event": "<b>"}).text
    assert "<i>" not in page and "<b>" not in page, "markup came in with a value"
