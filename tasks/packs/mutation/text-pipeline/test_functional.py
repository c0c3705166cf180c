import json

import pytest


def pipeline(*steps):
    return Pipeline(json.dumps({"name": "p", "steps": list(steps)}))


def test_steps_in_order():
    done = pipeline({"use": "strip"}, {"use": "replace", "old": "a", "new": "oo"}, {"use": "upper"}, {"use": "prefix", "before": "> "})
    assert done.run("  bat ") == "> BOOT", "one step after the other"
    assert done.names == ["strip", "replace", "upper", "prefix"], "the names of the steps"


def test_other_steps():
    assert pipeline({"use": "keep_lines", "having": "b"}, {"use": "repeat", "times": 2}).run("ab\ncd\nb") == "ab\nbab\nb", "lines, repeated"
    assert pipeline({"use": "lower"}, {"use": "cut", "length": 2}).run("ABC") == "ab", "cut"


def test_conditions():
    done = pipeline({"use": "cut", "length": 3, "when": {"longer": 4}}, {"use": "upper", "when": {"has": "x"}})
    assert [done.run(text) for text in ("abcdef", "abcd", "xyz")] == ["abc", "abcd", "XYZ"], "only where they hold"


def test_added_step():
    @step
    def doubled_dashes(text: str, mark: str) -> str:
        return text.replace("-", mark * 2)

    assert pipeline({"use": "doubled_dashes", "mark": "="}).run("a-b") == "a==b", "added by the decorator"


@pytest.mark.parametrize("definition", ["", "[]", '{"steps": []}', '{"steps": [{"use": "fly"}]}', '{"steps": [{"use": "replace", "old": "a"}]}'])
def test_malformed(definition):
    with pytest.raises(PipelineError):
        Pipeline(definition)
