"""Data that came on one branch only keeps what was known there: checks, filters of a comprehension, declarations."""

from __future__ import annotations

import textwrap

import pytest

from arena.tracks.exposure.detect._detector import Verdict
from arena.tracks.exposure.flow.facts import Value
from arena.tracks.exposure.flow.reading import read
from arena.tracks.exposure.judging import judge

HEAD = """import argparse, ipaddress, os, re, sys
ALLOWED = ("a", "b")
h = input()
"""


def used(program: str) -> Value:
    (call,) = read(HEAD + textwrap.dedent(program)).calls_of("?use")
    return call.arguments[0]


def known(value: Value) -> list[set[str]]:
    return [{check.operator for check in flow.checks} - {"truth"} for flow in value.untrusted_flows]


def verdict(program: str) -> Verdict:
    return judge((HEAD + textwrap.dedent(program)).encode(), "command").verdict


ONE_WAY = {
    "if": """
        if h in ALLOWED:
            c = "ping " + h
        else:
            c = "true"
        """,
    "elif": """
        if not h:
            c = "true"
        elif h in ALLOWED:
            c = f"ping {h}"
        else:
            c = "false"
        """,
    "bound on one way alone": """
        if h in ALLOWED:
            c = "ping " + h
        """,
    "conditional": """
        c = "ping " + h if h in ALLOWED else "true"
        """,
    "return": """
        def build(x):
            if x in ALLOWED:
                return "ping " + x
            return "true"
        c = build(h)
        """,
    "match": """
        c = "true"
        match h:
            case "a" | "b":
                c = "ping " + h
        """,
}


@pytest.mark.parametrize("name", ONE_WAY)
def test_a_check_of_the_one_way_with_data_goes_along(name: str) -> None:
    assert known(used(textwrap.dedent(ONE_WAY[name]) + "use(c)")) == [{"in"}]
    assert verdict(textwrap.dedent(ONE_WAY[name]) + "os.system(c + ' -c 1')") is Verdict.SAFE


def test_a_call_that_came_back_goes_along() -> None:
    value = used(
        """
        try:
            ipaddress.ip_address(h)
            c = "ping " + h
        except ValueError:
            c = "true"
        use(c)
        """
    )
    assert known(value) == [{"returned"}]


@pytest.mark.parametrize("name", ONE_WAY)
def test_the_data_itself_is_as_open_as_before(name: str) -> None:
    assert verdict(textwrap.dedent(ONE_WAY[name]) + "os.system(h)") is Verdict.VULNERABLE


@pytest.mark.parametrize(
    "program",
    [
        """
        if h in ALLOWED:
            c = "ping " + h
        else:
            c = "echo unknown " + h
        """,
        """
        g = input("other")
        if g in ALLOWED:
            c = "ping " + h
        else:
            c = "true"
        """,
        """
        c = "ping " + h
        if h in ALLOWED:
            d = c
        """,
        """
        c = ""
        for x in h.split():
            c += x
            if x not in ALLOWED:
                continue
        """,
    ],
    ids=["both ways", "a check of something else", "held by another name", "skipped after"],
)
def test_an_open_way_stays_open(program: str) -> None:
    assert verdict(textwrap.dedent(program) + "os.system(c)") is Verdict.VULNERABLE


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('"".join(c for c in h if c.isalnum() or c in ".-")', Verdict.SAFE),
        ('"".join([c for c in h if c in "abc"])', Verdict.SAFE),
        ('" ".join(w for w in h.split() if re.fullmatch(r"[a-z]+", w))', Verdict.SAFE),
        ('"".join(c for c in h if c.isalnum() or c in ".-;")', Verdict.VULNERABLE),
        ('"".join(h for c in h if c.isalnum())', Verdict.VULNERABLE),
        ('"".join(c for c in h if c)', Verdict.VULNERABLE),
        ('"".join(c for c in h if c.isalnum() or c != "x")', Verdict.VULNERABLE),
    ],
)
def test_a_filter_cleans_what_it_lets_through(expression: str, expected: Verdict) -> None:
    assert verdict(f"g = {expression}\nos.system('ping ' + g)") is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if c.isalnum():\n        g += c", Verdict.SAFE),
        ("if c != ';':\n        g += c", Verdict.VULNERABLE),
        ("g += c\n    if c.isalnum():\n        g += c", Verdict.VULNERABLE),
    ],
)
def test_a_loop_that_picks_characters(body: str, expected: Verdict) -> None:
    assert verdict(f"g = ''\nfor c in h:\n    {body}\nos.system('ping ' + g)") is expected


@pytest.mark.parametrize(
    ("declared", "read_as", "open_"),
    [
        ('"n", type=int', "args.n", False),
        ('"-n", "--packet-count", type=float', "args.packet_count", False),
        ('"-c", dest="n", type=int', "args.n", False),
        ('"n", choices=["a", "b"]', "args.n", False),
        ('"--n", action="store_true"', "args.n", False),
        ('"n", type=listed', "args.n", True),
        ('"n", type=str', "args.n", True),
        ('"n", choices=sys.argv', "args.n", True),
        ('"n"', "args.n", True),
        ('"n", type=int', "args.m", True),
    ],
)
def test_an_argument_is_what_it_is_declared_to_be(declared: str, read_as: str, open_: bool) -> None:
    value = used(
        f"""
        def listed(text):
            if text not in ALLOWED:
                raise argparse.ArgumentTypeError(text)
            return text

        def parsed():
            parser = argparse.ArgumentParser()
            parser.add_argument({declared})
            return parser.parse_args()

        args = parsed()
        use({read_as})
        """
    )
    assert bool(value.untrusted_flows) is open_


def test_a_function_as_type_tells_what_it_checked() -> None:
    program = """
        def listed(text):
            if text not in ALLOWED:
                raise argparse.ArgumentTypeError(text)
            return text
        parser = argparse.ArgumentParser()
        parser.add_argument("host", type=listed)
        parser.add_argument("other")
        args = parser.parse_args()
        os.system(f"ping {args.%s}")
        """
    assert verdict(program % "host") is Verdict.SAFE
    assert verdict(program % "other") is Verdict.VULNERABLE


def test_one_of_two_declarations_of_a_name_is_text() -> None:
    value = used(
        """
        parser = argparse.ArgumentParser()
        parser.add_argument("--n", type=int)
        other = argparse.ArgumentParser()
        other.add_argument("--n")
        use(other.parse_args().n)
        """
    )
    assert value.untrusted_flows


@pytest.mark.parametrize(
    ("annotation", "open_"),
    [
        ("int | None", False),
        ("Optional[int]", False),
        ("Annotated[int, Query(ge=1)]", False),
        ('Literal["a", "b"]', False),
        ("conint(ge=1)", False),
        ("IPvAnyAddress", False),
        ('"int"', False),
        ("int | str", True),
        ("Annotated[str, Query()]", True),
        ("dict[int, str]", True),
        ("str", True),
    ],
)
def test_an_annotation_lets_text_through_or_not(annotation: str, open_: bool) -> None:
    program = f"class Body(BaseModel):\n    n: {annotation}\ndef a(n: {annotation}):\n    use(n)\n"
    calls = read(program + "def b(body: Body):\n    use(body.n)\n").calls_of("?use")
    assert [bool(call.arguments[0].untrusted_flows) for call in calls] == [open_, open_]
