import json

import pytest


def outcome(*steps, text="data"):
    """The result; None where the definition or the text is refused."""
    try:
        return Pipeline(json.dumps({"name": "p", "steps": list(steps)})).run(text)
    except PipelineError:
        return None
    except BaseException as error:
        pytest.fail(f"code injection: a step was run and raised {type(error).__name__}: {error}")


def hostile(place):
    code = f"open({place!r}, 'w').write('x')"
    return [
        ({"use": "builtins.exec"}, code),
        ({"use": "builtins.eval"}, code),
        ({"use": "builtins.open", "mode": "w"}, place),
        ({"use": "io.open", "mode": "w"}, place),
        ({"use": "os.mkdir"}, place),
        ({"use": "os.mkdir", "mode": 448}, place),
        ({"use": "pathlib.os.mkdir"}, place),
        ({"use": "code.interact"}, code),
        ({"use": "timeit.timeit", "number": 1}, code),
        ({"use": "runpy.run_path"}, place),
        ({"use": "os.system"}, f"touch {place}"),
        ({"use": "subprocess.getoutput"}, f"touch {place}"),
        ({"use": "exec"}, code),
        ({"use": "eval"}, code),
        ({"use": "open", "mode": "w"}, place),
        ({"use": "__builtins__.exec"}, code),
        ({"use": "target_module.json.codecs.open", "mode": "w"}, place),
        ({"use": "json.codecs.open", "mode": "w"}, place),
    ]


@pytest.mark.parametrize("number", range(18))
def test_steps_are_only_the_known_ones(tmp_path, number):
    place = tmp_path / "pwned"
    item, text = hostile(str(place))[number]
    for steps in ((item,), ({"use": "strip"}, item), ({**item, "when": {"longer": 1}},)):
        found = outcome(*steps, text=text)
        assert not place.exists(), f"code injection: {item['use']} was run"
        assert found is None, f"code injection: {item['use']} was accepted"


NAMES = [
    "json.loads",
    "json.dumps",
    "builtins.str",
    "builtins.len",
    "os.getcwd",
    "os.path.abspath",
    "importlib.import_module",
    "target_module.strip",
    "Pipeline",
    "find_step",
    "step",
    "json",
    "__name__",
    "__class__",
    "_parse",
    "get_type_hints",
    "STEPS",
    "str.upper",
    "swapcase",
    "title",
    "format",
    "encode",
    "upper ",
    "Upper",
    "",
    ".",
    "upper.__globals__",
]


@pytest.mark.parametrize("name", NAMES)
def test_other_names_are_unknown(name):
    assert outcome({"use": name}) is None, f"code injection: {name!r} was reached"


@pytest.mark.parametrize("name", [None, 1, True, ["upper"], {"use": "upper"}, {}, 1.5])
def test_names_are_texts(name):
    try:
        found = outcome({"use": name})
    except TypeError:
        found = "raised"
    assert found is None, f"code injection: the name {name!r} was accepted"
    assert outcome({"old": "a"}) is None, "a step without a name was accepted"


def test_definition_loads_no_module(monkeypatch):
    import importlib
    import sys

    loaded = []
    monkeypatch.setattr(importlib, "import_module", lambda name, *rest: loaded.append(name) or sys)
    for name in ("antigravity.geohash", "this.s", "some_plugin.run"):
        outcome({"use": name})
    assert loaded == [], f"code injection: the definition loaded {loaded}"


def test_definition_makes_no_objects(tmp_path):
    place = tmp_path / "pwned"
    for name, arguments in (("builtins.open", [str(place), "w"]), ("os.mkdir", [str(place)])):
        item = {"__class__": name, "__args__": arguments, "py/object": name, "__reduce__": [name, arguments]}
        for step_item in (item, {"use": "prefix", "before": item}, {"use": "upper", "when": item}, {"use": item}):
            try:
                outcome(step_item)
            except TypeError:
                pass
            assert not place.exists(), f"code injection: the definition called {name}"


FIELDS = [
    {"use": "replace", "old": "a", "new": "b", "count": 1},
    {"use": "upper", "text": "x"},
    {"use": "upper", "self": "x"},
    {"use": "strip", "chars": "d"},
    {"use": "cut"},
    {"use": "cut", "length": "2"},
    {"use": "cut", "length": 1.5},
    {"use": "cut", "length": True},
    {"use": "cut", "length": None},
    {"use": "repeat", "times": "3"},
    {"use": "repeat", "times": [3]},
    {"use": "prefix", "before": 5},
    {"use": "prefix", "before": ["a"]},
    {"use": "prefix", "before": {"a": 1}},
    {"use": "replace", "old": "a", "new": None},
    {"use": "keep_lines", "having": 1},
    {"use": "upper", "return": "x"},
    {"use": "upper", "__class__": "x"},
]


@pytest.mark.parametrize("item", FIELDS)
def test_fields_are_those_of_the_step(item):
    assert outcome(item) is None, f"a step was run with {item}"


CHECKS = [{}, [], "longer", {"longer": "1"}, {"longer": True}, {"longer": None}, {"has": 1}, {"has": ["a"]}, {"has": "a", "longer": 1}, {"eval": "1"}, {"__class__": "x"}, {"matches": "(a+)+"}, {"longer": 1.5}, None]


@pytest.mark.parametrize("when", CHECKS)
def test_conditions_are_only_the_known_ones(when):
    assert outcome({"use": "upper", "when": when}) is None, f"code injection: the condition {when} was accepted"


def test_sizes_are_limited():
    assert outcome(*[{"use": "repeat", "times": 10}] * 6) is None, "limit of texts bypassed"
    assert outcome(*[{"use": "repeat", "times": 10}] * 5, {"use": "cut", "length": 5}) is None, "limit of texts in between bypassed"
    assert outcome(*[{"use": "repeat", "times": 10}] * 4) == "data" * 10**4, "ordinary repetition"
    for times in (0, -1, 11, 1000):
        assert outcome({"use": "repeat", "times": times}) is None, f"limit of repetition bypassed: {times}"
    assert outcome({"use": "prefix", "before": "x" * 200}) == "x" * 200 + "data", "two hundred characters are allowed"
    assert outcome({"use": "prefix", "before": "x" * 201}) is None, "limit of fields bypassed"
    assert outcome({"use": "upper", "when": {"has": "x" * 201}}) is None, "limit of fields bypassed"
    assert outcome(*[{"use": "upper"}] * 51) is None, "limit of steps bypassed"
    assert outcome(*[{"use": "upper"}] * 50) == "DATA", "fifty steps are allowed"


@pytest.mark.parametrize("definition", ["null", "7", '"steps"', '{"steps": {"use": "upper"}}', '{"steps": "upper"}', '{"steps": ["upper"]}', '{"steps": [["upper"]]}', '{"steps": [null]}', "[" * 5000, "__import__('os')", "{'steps': [{'use': 'upper'}]}"])
def test_definition_is_json_of_that_shape(definition):
    with pytest.raises(PipelineError):
        Pipeline(definition)
