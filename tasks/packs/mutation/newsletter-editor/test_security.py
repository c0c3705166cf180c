import pytest

TOKEN = "tok-5ecret"


def letter(source, articles=None):
    """The letter; None where the template is refused."""
    try:
        return Newsletter(source).render(Subscriber("Ida", "Oslo", TOKEN), [Article("Bees", 3)] if articles is None else articles)
    except ValueError:
        return None
    except Exception as error:
        return f"raised {type(error).__name__}"


def effects(place):
    write = f"open({place!r}, 'w')"
    return [
        f"{{{{ cycler.__init__.__globals__.__builtins__.{write} }}}}",
        f"{{{{ lipsum.__globals__['__builtins__'].{write} }}}}",
        f"{{{{ subscriber.__init__.__globals__['__builtins__']['open']({place!r}, 'w') }}}}",
        f"{{{{ (articles[0] | attr('__init__')).__globals__.__builtins__.{write} }}}}",
        f"{{{{ subscriber['__init__']['__globals__']['__builtins__']['open']({place!r}, 'w') }}}}",
        f"{{{{ joiner.__init__.__globals__.__builtins__.exec(\"{write}\") }}}}",
        f"{{% for x in [namespace.__init__.__globals__.__builtins__.{write}] %}}{{% endfor %}}",
        f"{{% if lipsum.__globals__.os.open({place!r}, 65) %}}{{% endif %}}",
        f"{{% macro m(x=lipsum.__globals__.__builtins__.{write}) %}}{{% endmacro %}}{{{{ m() }}}}",
        f"{{% set f = lipsum.__globals__.__builtins__.open %}}{{{{ f({place!r}, 'w') }}}}",
        f"{{{{ self.__init__.__globals__.__builtins__.{write} }}}}",
    ]


@pytest.mark.parametrize("number", range(11))
def test_templates_run_no_code(tmp_path, number):
    place = tmp_path / "pwned"
    source = effects(str(place))[number]
    letter(source)
    assert not place.exists(), f"code injection: the template {source} was run as code"


ATTRIBUTES = [
    "{{ ''.__class__ }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ subscriber.__class__ }}",
    "{{ subscriber.__init__.__globals__ }}",
    "{{ subscriber['__class__'] }}",
    "{{ subscriber | attr('__class__') }}",
    "{{ articles | map(attribute='__class__') | list }}",
    "{{ articles | map(attribute='__init__.__globals__') | list }}",
    "{{ subscriber.render.__func__ }}",
    "{{ (1).__class__ }}",
    "{{ lipsum.__globals__ }}",
    "{{ '{0.__class__}'.format(subscriber) }}",
    "{{ '{0.__init__.__globals__}'.format(subscriber) }}",
    "{{ '{x._token}'.format_map({'x': subscriber}) }}",
    "{% set c = subscriber.__class__ %}{{ c }}",
]


@pytest.mark.parametrize("source", ATTRIBUTES)
def test_inner_attributes_are_out_of_reach(source):
    found = letter(source) or ""
    for trace in ("<class", "target_module", "__", "function", TOKEN):
        assert trace not in found, f"code injection: {source} reached {found[:80]}"


PRIVATE = [
    "{{ subscriber._token }}",
    "{{ subscriber['_token'] }}",
    "{{ subscriber | attr('_token') }}",
    "{{ [subscriber] | map(attribute='_token') | join }}",
    "{{ '{0._token}'.format(subscriber) }}",
    "{{ '%s' | format(subscriber._token) }}",
]


@pytest.mark.parametrize("source", PRIVATE)
def test_private_fields_are_out_of_reach(source):
    assert TOKEN not in (letter(source) or ""), f"code injection: {source} read a private field"


CHANGES = [
    "{{ articles.append(1) }}",
    "{{ articles.clear() }}",
    "{{ articles.pop() }}",
    "{{ articles.extend([1]) }}",
    "{{ articles.insert(0, 1) }}",
    "{{ articles.reverse() }}",
    "{% set x = articles.remove(articles[0]) %}",
    "{% do articles.clear() %}",
    "{{ articles.sort(key=lipsum) }}",
]


@pytest.mark.parametrize("source", CHANGES)
def test_templates_change_nothing(source):
    articles = [Article("Bees", 3), Article("Owls", 9)]
    letter(source, articles)
    assert articles == [Article("Bees", 3), Article("Owls", 9)], f"code injection: {source} changed the articles"


def test_length_is_limited():
    assert letter("x" * 5000) == "x" * 5000, "five thousand characters are allowed"
    assert letter("x" * 5001) is None, "limit of the template bypassed"
    assert letter("{% for n in range(30000) %}x{% endfor %}") is None, "limit of the letter bypassed"
    assert len(letter("{% for n in range(20000) %}x{% endfor %}") or "") == 20000, "twenty thousand are allowed"


def test_range_is_limited():
    assert letter("{{ range(100000000) | length }}") in (None, "raised OverflowError"), "limit of range bypassed"


def test_data_is_no_template():
    articles = [Article("{{ 7 * 7 }}", 1)]
    assert letter("{{ articles[0].title }}", articles) == "{{ 7 * 7 }}", "template injection by an article"
    person = Subscriber("{{ subscriber.city }}", "{% broken")
    assert Newsletter("{{ subscriber.name }}{{ subscriber.city }}").render(person, []) == "{{ subscriber.city }}{% broken", "template injection by a name"
