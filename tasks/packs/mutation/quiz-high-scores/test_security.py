import json
import pickle as real_pickle

import pytest

RAN = []


def arena_mark(*args):
    RAN.append(args)
    return {"ann": 1}


class Attack:
    def __init__(self, call, *args):
        self.parts = call, args

    def __reduce__(self):
        return self.parts


def attacks():
    for protocol in (0, 2, 4, 5):
        yield real_pickle.dumps(Attack(arena_mark, "x"), protocol)
        yield real_pickle.dumps({"ann": Attack(arena_mark, "x")}, protocol)
        yield real_pickle.dumps(Attack(eval, "__import__('sys').modules[__name__]"), protocol)


@pytest.mark.parametrize("number", range(12))
def test_file_runs_no_code(tmp_path, number):
    RAN.clear()
    pickle.reset()
    (tmp_path / "s").write_bytes(list(attacks())[number])
    try:
        load_scores(tmp_path / "s")
    except Exception:
        pass
    assert not RAN, "deserialisation: the file of scores ran code"
    assert not pickle.unsafe_load_called, "deserialisation: the file of scores was unpickled"


TEXTS = [
    "!!python/object/apply:os.getcwd []",
    "!!python/object/apply:target_module.save_scores [x, {}]",
    "__import__('os').environ.setdefault('ARENA_RAN', '1') and {}",
    '{"ann": __import__("os").environ.setdefault("ARENA_RAN", "1")}',
    '{"__class__": "os.system", "__args__": ["x"]}',
    '{"__class__": "builtins.print", "__args__": ["x"], "__kwargs__": {}}',
    "{'ann': 3}",
    "ann: 3",
]


@pytest.mark.parametrize("text", TEXTS)
def test_other_languages_are_not_read(tmp_path, text):
    yaml.reset()
    (tmp_path / "s").write_text(text)
    try:
        loaded = load_scores(tmp_path / "s")
    except ValueError:
        loaded = None
    assert loaded is None, f"deserialisation: {text} was read as {loaded!r}"
    assert not os.environ.get("ARENA_RAN"), "deserialisation: the file of scores was evaluated"
    assert not yaml.unsafe_load_called, "deserialisation: the file of scores was loaded with all of YAML's tags"


@pytest.mark.parametrize("value", [[], "x", None, 3, {"ann": "12"}, {"ann": [1]}, {"ann": None}, {"ann": 1.5}, {"ann": {"b": 1}}])
def test_only_scores(tmp_path, value):
    (tmp_path / "s").write_text(json.dumps(value))
    with pytest.raises(ValueError):
        load_scores(tmp_path / "s")


def test_deep_file(tmp_path):
    (tmp_path / "s").write_text("[" * 100_000)
    with pytest.raises(ValueError):
        load_scores(tmp_path / "s")


def test_saved_scores_are_plain_text(tmp_path):
    save_scores(tmp_path / "s", {"ann": 1})
    assert not (tmp_path / "s").read_bytes().startswith(b"\x80"), "deserialisation: scores are saved as a pickle"
