import pytest

IDA = Subscriber("Ida", "Oslo", "t-1")
ARTICLES = [Article("Bees", 300), Article("Owls", 900)]


def test_names_and_loops():
    source = "Dear {{ subscriber.name }},{% for a in articles if a.words > 500 %} {{ a.title | upper }}{% endfor %}"
    assert Newsletter(source).render(IDA, ARTICLES) == "Dear Ida, OWLS", "names, loops and filters"


def test_macros_and_numbers():
    source = "{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(articles | length) }}{{ articles | sum(attribute='words') }}"
    assert Newsletter(source).render(IDA, ARTICLES) == "<2>1200", "macros and sums"


def test_methods_of_texts():
    assert Newsletter("{{ subscriber.city.upper() }}").render(IDA, []) == "OSLO", "methods of texts"


@pytest.mark.parametrize("source", ["{{", "{% for %}", "{{ subscriber.name | nofilter }}"])
def test_malformed(source):
    with pytest.raises(NewsletterError):
        Newsletter(source).render(IDA, ARTICLES)


def test_unknown_name():
    with pytest.raises(NewsletterError):
        Newsletter("{{ reader }}").render(IDA, ARTICLES)
