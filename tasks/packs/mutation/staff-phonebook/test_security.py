import re

import pytest

STAFF = [
    {"objectclass": "person", "hidden": "FALSE", "cn": "Ada Byron", "ou": "Surgery"},
    {"objectclass": "person", "hidden": "FALSE", "cn": "Adam (Night)", "ou": "Night * Shift"},
    {"objectclass": "person", "hidden": "TRUE", "cn": "Ada Director", "ou": "Board"},
    {"objectclass": "device", "hidden": "FALSE", "cn": "Ada Printer", "ou": "Surgery"},
    {"objectclass": "person", "hidden": "FALSE", "cn": "back\\slash", "ou": "a\\2ab"},
]


def holds(text, at, entry):
    """A reader of filters: (whether it holds, where it ends)."""
    assert text[at] == "(", f"no filter at {at} of {text!r}"
    sign = text[at + 1]
    if sign in "&|!":
        values, at = [], at + 2
        while text[at] == "(":
            value, at = holds(text, at, entry)
            values.append(value)
        assert text[at] == ")", f"no end at {at} of {text!r}"
        return {"&": all(values), "|": any(values), "!": not any(values)}[sign], at + 1
    end = text.index(")", at)
    item = text[at + 1 : end]
    assert "(" not in item and "\0" not in item, f"raw special characters in {item!r}"
    name, _, value = item.partition("=")
    pieces = [re.sub(r"\\([0-9a-fA-F]{2})", lambda m: chr(int(m[1], 16)), p) for p in value.split("*")]
    pattern = ".*".join(re.escape(p) for p in pieces)
    return re.fullmatch(pattern, entry.get(name.lower(), ""), re.S | re.I) is not None, end + 1


def found(name, department=None):
    text = staff_filter(name, department)
    rows = []
    for entry in STAFF:
        value, _ = holds(text, 0, entry)
        if value:
            rows.append(entry["cn"])
    return rows


def whole(name, department=None):
    text = staff_filter(name, department)
    try:
        _, end = holds(text, 0, STAFF[0])
    except (AssertionError, IndexError, ValueError) as error:
        return f"cannot be read: {error}"
    return "whole" if end == len(text) else f"ends at {end}: {text}"


ATTACKS = [
    "*", "**", "A*a", "*)(cn=*", "*)(objectClass=*", "x)(|(cn=*)", "*))(|(objectClass=*", "Ada)(ou=Surgery",
    "Ada*)(!(hidden=x))", "*)(hidden=TRUE", ")", "(", "()", "Ada)(&)", "*)(&))\0", "\\2a", "\\", "x\\", "Ada\0", "Ada Byron)\0",
]


@pytest.mark.parametrize("name", ATTACKS)
def test_a_typed_name_stays_a_name(name):
    assert whole(name) == "whole", f"{name!r} changes the structure of the filter"
    assert found(name) == [], f"nobody's name begins with {name!r}"


@pytest.mark.parametrize("department", ATTACKS + ["Sur*", "*y", "Surgery)(cn=*", "*)(hidden=TRUE"])
def test_a_typed_department_stays_a_department(department):
    assert whole("Ada", department) == "whole", f"{department!r} changes the structure of the filter"
    assert found("Ada", department) == [], f"no department is called {department!r}"


def test_special_characters_stand_for_themselves():
    assert found("Adam (N") == ["Adam (Night)"], "parentheses are part of a name"
    assert found("Adam", "Night * Shift") == ["Adam (Night)"], "a star is part of a department's name"
    assert found("back\\s", "a\\2ab") == ["back\\slash"], "a backslash is itself, before an escape too"


@pytest.mark.parametrize("name", ["*", "*)(cn=*", "x)(|(cn=*)", "*))(|(objectClass=*", "ali*e", "*)(uid=admin", "(", ")"])
def test_directory_finds_nobody_by_special_characters(name):
    try:
        people = look_up(name)
    except Exception as error:
        people = f"raised {type(error).__name__}"
    assert people == [], f"{name!r} is the beginning of nobody's name: {people}"


@pytest.mark.parametrize("department", ["*", "*)(|(cn=*)", "x)(cn=*", "))(|(cn=*"])
def test_directory_finds_no_department_by_special_characters(department):
    try:
        people = look_up("ali", department)
    except Exception as error:
        people = f"raised {type(error).__name__}"
    assert people == [], f"no department is called {department!r}: {people}"


def test_hidden_staff_and_devices_stay_out():
    assert found("Ada") == ["Ada Byron", "Adam (Night)"], "hidden people and devices are not told"
