"""The C++ driver: reading, building, arguments and results by their types. One build serves most tests."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.dual.runner import Bind, Order, RunLimitsSpec, RunObservation
from arena.tracks.dual.runner.drivers import call_argv, cpp
from arena.tracks.dual.runner.drivers.cpp_names import bare, definitions, find
from arena.tracks.dual.runner.observation import ProcessEnded
from arena.tracks.dual.runner.pool import ProgramRunner

SOURCE = "/srv/app/solution.cpp"
OUT = "/srv/build/program"
ODD = r"""
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>
using namespace std;
struct Own : runtime_error { using runtime_error::runtime_error; };
struct Opaque { int x; };
// int commented(int x) { return x; }
const char* TEXT = "int quoted(int x) { ";
string getText(const string& userName, int count = 2) { cout << "said"; return userName + to_string(count); }
vector<double> scale(std::vector<double>& v, double by) { for (auto& x : v) x *= by; return v; }
map<string, int> counted(const vector<string>& words) { map<string, int> m; for (auto& w : words) m[w]++; return m; }
void own(std::string_view s) { throw Own("no " + string(s)); }
variant<monostate, int, double, string> echo(variant<monostate, int, double, string> v) { return v; }
optional<pair<string, bool>> maybe(bool b) { if (b) return pair{string("\xff"), b}; return nullopt; }
Opaque opaque() { return {1}; }
unsigned long long large() { return 18446744073709551615ULL; }
unsigned char narrow(unsigned char c) { return c; }
string bytes(const char* s) { return s; }
double ratio(double a, double b) { return a / b; }
int die() { int* p = nullptr; return *(volatile int*)p; }
class Counter { int n = 0; int hidden() { return 1; } public: int add(int by = 1) { return n += by; } };
namespace inner { static int found(int x) { return x; } }
int main() { return getText("x") == ""; }
"""
ASKED = ["get_text", "scale", "counted", "own", "echo", "maybe", "opaque", "large", "narrow", "bytes", "ratio"]  # fmt: skip
ASKED += ["die", "add", "found"]
BOUND = "std::invalid_argument"
CALLS: list[tuple[dict[str, Any], Any]] = [
    ({"call": "get_text", "args": ["é😀"]}, "é😀2"),
    ({"call": "get_text", "kwargs": {"count": 3, "user_name": "a"}}, "a3"),
    ({"call": "get_text", "kwargs": {"x": "a", "y": 3.0}}, "a3"),
    ({"call": "scale", "args": [[1, 2.5], 2]}, [2.0, 5.0]),
    ({"call": "counted", "args": [["a", "$b", "a"]]}, {"$escape": {"a": 2, "$b": 1}}),
    ({"call": "echo", "args": [1]}, 1),
    ({"call": "echo", "args": [1.0]}, 1.0),
    ({"call": "echo", "args": [None]}, None),
    ({"call": "maybe", "args": [True]}, {"$tuple": [{"$bytes": "/w=="}, True]}),
    ({"call": "maybe", "args": [False]}, None),
    ({"call": "opaque"}, {"$object": "Opaque"}),
    ({"call": "large"}, {"$int": "18446744073709551615"}),
    ({"call": "ratio", "args": [1, 0]}, {"$float": "inf"}),
    ({"call": "bytes", "args": [{"$bytes": "YWI="}]}, "ab"),
    ({"call": "add"}, 1),
    ({"call": "add", "args": [5]}, 6),
    ({"call": "found", "args": [{"$int": "7"}]}, 7),
]
RAISED: list[tuple[dict[str, Any], str, tuple[str, ...]]] = [
    ({"call": "own", "args": ["x"]}, "Own", ("std::runtime_error", "std::exception")),
    ({"call": "narrow", "args": [300]}, BOUND, ("std::logic_error", "std::exception")),
    ({"call": "narrow", "args": ["3"]}, BOUND, ("std::logic_error", "std::exception")),
    ({"call": "narrow"}, BOUND, ("std::logic_error", "std::exception")),
]


def built(runner: ProgramRunner, text: str, asked: list[str]) -> tuple[cpp.Build, RunObservation]:
    build = cpp.build(SOURCE, text, asked, OUT)
    files = {SOURCE: text.encode(), **build.files}
    limits = RunLimitsSpec(seconds=60, cpu=60)
    seen = runner.run(
        Order("run", build.argv, ({},), files=files, fetch=build.makes, limits=limits)
    )
    return build, seen


@pytest.fixture(scope="module")
def program(runner: ProgramRunner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    build, seen = built(runner, ODD, ASKED)
    assert seen.steps[0].exit == 0, seen.steps[0].stderr
    assert build.names["get_text"] == "getText" and build.names["found"] == "inner::found"
    path = tmp_path_factory.mktemp("cpp") / "program"
    path.write_bytes(seen.fetched[OUT])
    path.chmod(0o755)
    yield path


def test_arguments_and_results(runner: ProgramRunner, program: Path) -> None:
    steps = [step for step, *_ in CALLS] + [step for step, *_ in RAISED] + [{"call": "die"}]
    seen = runner.run(Order("call", (OUT,), tuple(steps), binds=(Bind(str(program), OUT),)))
    assert len(seen.steps) == len(steps), seen.why
    for step, (asked, expected) in zip(seen.steps, CALLS, strict=False):
        assert (asked, step.value, type(step.value)) == (asked, expected, type(expected))
    assert seen.steps[0].stdout == "said"
    for step, (asked, kind, bases) in zip(seen.steps[len(CALLS) :], RAISED, strict=False):
        assert (asked, step.raised, step.bases) == (asked, kind, bases)
    assert seen.steps[-1].ended is ProcessEnded.DIED


@pytest.mark.parametrize(
    ("text", "kind", "word"),
    [
        ("int f( {", "syntax-error", "expected"),
        ("#include <no/such.h>\nint f() { return 1; }", "missing-dependency", "no/such.h"),
        ("int g() { return 1; }\nint h() { return 1; }", "no-entry-point", "there are: g, h"),
    ],
)
def test_a_failed_build_says_why(runner: ProgramRunner, text: str, kind: str, word: str) -> None:
    _, seen = built(runner, text, ["f"])
    failed = cpp.failure(seen.steps[0].stderr, text)
    assert failed["kind"] == kind and word in failed["text"] + failed["name"]


@pytest.mark.nightly("compiles C++: test_arguments_and_results does by day")
def test_a_parameter_that_no_value_can_be_given_for_is_no_entry_point(
    runner: ProgramRunner, tmp_path: Path
) -> None:
    _, compiled = built(runner, "struct P { int x; };\nint f(P p) { return p.x; }", ["f"])
    path = tmp_path / "program"
    path.write_bytes(compiled.fetched[OUT])
    path.chmod(0o755)
    seen = runner.run(Order("call", (OUT,), ({"call": "f"},), binds=(Bind(str(path), OUT),)))
    assert seen.ended is ProcessEnded.NO_START and seen.why.startswith("no-entry-point: f: P")
    assert 0.1 < compiled.cpu < 15, "the compiler is no part of this process"


def test_reading_sees_what_can_be_called() -> None:
    names = {d.name for d in definitions(ODD)}
    assert {"getText", "Counter::add", "inner::found"} <= names
    assert not names & {"commented", "quoted", "main", "Counter::hidden"}
    text = next(d for d in definitions(ODD) if d.name == "getText")
    assert text.parameters == ("userName", "count")


@pytest.mark.parametrize(
    ("text", "asked", "found"),
    [
        ("int a(int x) { return x; }", "other", "a"),
        ("template <class T> T a(T x) { return x; }", "a", None),
        ("char q = '\"'; int a() { return 1'000; } int b() { return 2; }", "b", "b"),
        ('const char* t = R"x(int no() {)x"; int yes() { return 1; }', "f", "yes"),
        ("#define A(x) \\\n int no() {\nint yes(std::map<int, int> m) {}", "f", "yes"),
        ("struct S { S() {} static int make(int n) { return n; } };", "make", "S::make"),
    ],
)
def test_the_function_meant(text: str, asked: str, found: str | None) -> None:
    meant = find(text, [asked]).get(asked)
    assert (meant.name if meant else None) == found


@given(st.text(alphabet="abf(){};:\"'/*\\\n#R<>,= "))
def test_any_text_is_read(text: str) -> None:
    assert len(bare(text)) <= 3 * len(text) + 3
    definitions(text)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ['R"(', "/*", "f(", '"\\', "a<", "'", "{", "#\\\n"])
def test_reading_is_linear(unit: str) -> None:
    began = time.process_time()
    definitions(unit * (200_000 // len(unit)))
    assert time.process_time() - began < 20


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="entry: "):
        cpp.build(SOURCE, "", ['f); system("x"'], OUT)


C_PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char *copy(const char *restrict text, int new) { char *class = malloc(new); return strcpy(class, text); }
int main(int argc, char **argv) { int n[argc]; n[0] = argc; printf("%s %d\n", copy(argv[1], 64), n[0]); return 3; }
"""
C_FUNCTION = r"""
#include <stdlib.h>
#include <string.h>
char *twice(const char *restrict text) {
    char *made = malloc(2 * strlen(text) + 1);
    strcpy(made, text);
    return strcat(made, text);
}
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (C_PROGRAM, True),
        (C_FUNCTION, True),
        (ODD, False),
        ("#include <stdio.h>\n#include <string>\n", False),
        ("#include <stdio.h>\nint main() { std::abort(); }", False),
        ("#include <stdlib.h>\nvoid f() { char *p = nullptr; }", False),
        ("int main() { return 0; }", False),
    ],
)
def test_c_is_told_from_cpp(text: str, found: bool) -> None:
    assert cpp.is_c(text) is found


def compiled(runner: ProgramRunner, folder: Path, text: str, build: cpp.Build) -> Path:
    """The program that a build makes."""
    files = {SOURCE: text.encode(), "/srv/build/.keep": b"", **build.files}
    limits = RunLimitsSpec(seconds=60.0, cpu=60.0, memory=1 << 30)
    order = Order("run", build.argv, ({},), files=files, fetch=build.makes, limits=limits)
    seen = runner.run(order)
    assert OUT in seen.fetched, seen.steps[0].stderr
    path = folder / "program"
    path.write_bytes(seen.fetched[OUT])
    path.chmod(0o755)
    return path


@pytest.mark.slow
def test_a_program_in_c_is_compiled_as_c(runner: ProgramRunner, tmp_path: Path) -> None:
    made = compiled(runner, tmp_path, C_PROGRAM, cpp.program(SOURCE, C_PROGRAM, OUT))
    place = (Bind(str(made), "/opt/c"),)
    step = runner.run(Order("run", ("/opt/c",), ({"args": ["a b"]},), binds=place)).steps[0]
    assert (step.stdout, step.exit) == ("a b 2\n", 3)


@pytest.mark.nightly("compiles C++: test_arguments_and_results does by day")
@pytest.mark.slow
def test_a_function_in_c_is_called(runner: ProgramRunner, tmp_path: Path) -> None:
    made = compiled(runner, tmp_path, C_FUNCTION, cpp.build(SOURCE, C_FUNCTION, ["twice"], OUT))
    argv, place = call_argv("cpp", "/opt/c", ["twice"]), (Bind(str(made), "/opt/c"),)
    order = Order("call", argv, ({"call": "twice", "args": ["ab"]},), binds=place)
    assert runner.run(order).steps[0].value == "abab"
