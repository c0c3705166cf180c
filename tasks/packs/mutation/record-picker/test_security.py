import pytest


class Record(dict):
    def __missing__(self, key):
        return f"value of {key}"


def picked(columns):
    """What the picker gives for a record that has every key; None where the columns are refused."""
    try:
        picker = make_picker(columns)
    except (ValueError, TypeError):
        return None
    except BaseException as error:
        pytest.fail(f"code injection: the generated source broke with {type(error).__name__}")
    try:
        return picker(Record())
    except BaseException as error:
        pytest.fail(f"code injection: the generated function raised {type(error).__name__}")


def keys(place):
    effect = f"open({place!r}, 'w').write('x')"
    return [
        f'a"] + str({effect}) + record["a',
        f"a'] + str({effect}) + record['a",
        f'a"]}} if {effect} else {{"a": record["b',
        f"a']}} if {effect} else {{'a': record['b",
        f'a"]}}\n{effect}\n#',
        f"a']}}\n{effect}\n#",
        f'a\\"] + str({effect}) #',
        f"\\'] + str({effect}) #",
        f'{{{effect}}}',
        f'a"]}}\n\n{effect.replace("open", "__import__(chr(111)+chr(115)).open")}\nx={{"a',
    ]


@pytest.mark.parametrize("number", range(10))
def test_keys_are_only_texts(tmp_path, number):
    place = tmp_path / "pwned"
    key = keys(str(place))[number]
    expected = {"a": f"value of {key}", "b": "value of y"}
    assert picked({"a": key, "b": "y"}) == expected, f"code injection by the key {key}"
    assert picked({"b": "y", "a": key}) == expected, f"code injection by a later key {key}"
    assert not place.exists(), f"code injection: {key} was run"


ODD = ['"', "'", "\\", "\n", "a\nb", '"""', "'''", "{x}", "{", "}", "%s", "]", "#", "\0", "\u2028", "\r", '\\"', "\\'", "é\"'", ""]


@pytest.mark.parametrize("key", ODD)
def test_odd_keys_are_texts(key):
    assert picked({"a": key}) == {"a": f"value of {key}"}, f"code injection: the key {key!r} left its quotes"


def names(place):
    effect = f"open({place!r},'w').write('x')"
    return [
        f"a(record):\n\t{effect}\n\treturn 1\ndef\tx",
        f"a(record={effect}):\n\treturn\t1\n#",
        f"a():pass\n{effect}\ndef\tx",
        f"a\":{effect},\"b",
        f"a':{effect},'b",
        f"a={effect}",
        f"a():\t{effect}\n#",
        effect,
    ]


@pytest.mark.parametrize("number", range(8))
def test_names_are_identifiers(tmp_path, number):
    place = tmp_path / "pwned"
    name = names(str(place))[number]
    assert picked({name: "x"}) is None, f"code injection by the name {name!r}"
    assert picked({"a": "x", name: "y"}) is None, f"code injection by a later name {name!r}"
    assert not place.exists(), f"code injection: {name!r} was run"


@pytest.mark.parametrize("name", ["class", "None", "a-b", "a.b", "a b", "a\n", "a(", "a,b", "a;b", "", "1", 7, "a\"", "a'", "a#", "a:int", "a=1", "lambda", "a\tb"])
def test_other_names_are_refused(name):
    assert picked({name: "x"}) is None, f"code injection: {name!r} named a column"
    assert picked({"first": "x", name: "y"}) is None, f"code injection: {name!r} named a later column"


def test_keys_are_real_texts():
    class Sly(str):
        def __repr__(self):
            return "'a'] or record['pwned'"

        __format__ = lambda self, spec: "a\"] or record[\"pwned"

    for key in (Sly("a"), 7, None, ["a"], b"a"):
        found = picked({"a": key})
        assert found is None or found == {"a": f"value of {key}"}, "code injection: a key brought its own source"
        assert "pwned" not in str(found), "code injection: a key brought its own source"
