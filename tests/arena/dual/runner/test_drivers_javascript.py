"""The JavaScript driver: kinds of modules, names, arguments, results."""

from __future__ import annotations

from typing import Any

import pytest

from arena.tracks.dual.runner.observation import ProcessEnded
from arena.tracks.dual.runner.pool import ProgramRunner
from tests.arena.dual.runner.driven import called, order, refused

ODD = """#!/usr/bin/env node
'use strict';
class Own extends TypeError {}
class Evil { constructor() { this.a = 1; this.me = this; } toJSON() { throw new Error('evil'); } }
function größe(x) { return x; }
async function later(x) { return x; }
function* endless() { for (let n = 0; ; n++) yield n; }
async function* many() { yield 1; yield 2; }
const arrow = (x, y = 2) => [x, y];
function shout() { console.log('to stdout'); return 1; }
function own() { throw new Own('k'); }
function text() { throw 'a text'; }
function kinds() {
  return [NaN, -Infinity, 2n ** 70n, undefined, new Uint8Array([0]), new Set([2, 1]), new Map([[1, 'a']]),
    new Date(0), { u: undefined, $x: 1 }, 1.5, Symbol('s')];
}
function evil() { return new Evil(); }
function echo(x) { return x; }
function pollute() { Array.prototype.map = null; JSON.stringify = () => 'no'; Object.prototype.value = 5; return [1]; }
function proto(x) { return Object.keys(x); }
function apply(f, x) { return f(x); }
// a comment at the end, without a newline"""
CALLS: list[tuple[str, list[Any], Any]] = [
    ("größe", [1], 1),
    ("later", ["x"], "x"),
    ("many", [], {"$iterator": [1, 2]}),
    ("arrow", [1], [1, 2]),
    ("kinds", [], [{"$float": "nan"}, {"$float": "-inf"}, {"$int": str(2**70)}, {"$undefined": True}, {"$bytes": "AA=="}, {"$set": [1, 2]}, {"1": "a"}, {"$date": "1970-01-01T00:00:00.000Z"}, {"$escape": {"$x": 1}}, 1.5, {"$object": "symbol", "text": "Symbol(s)"}]),
    ("evil", [], {"a": 1, "me": {"$object": "Evil", "text": "<circular>"}}),
    ("echo", [{"$set": [{"$bytes": "AA=="}]}], {"$set": [{"$bytes": "AA=="}]}),
    ("echo", [{"$int": "18446744073709551616"}], {"$int": "18446744073709551616"}),
    ("echo", [{"__proto__": {"x": 1}}], {"__proto__": {"x": 1}}),
    ("proto", [{"__proto__": 1, "b": 2}], ["__proto__", "b"]),
    ("apply", [{"$callable": "upper"}, "x"], "X"),
    ("pollute", [], [1]),
]  # fmt: skip


def test_odd_functions_and_values(runner: ProgramRunner) -> None:
    names = [name for name, _, _ in CALLS]
    # "pollute" comes last of all: what it breaks stays broken for the candidate, and only for it.
    before = [{"call": n} for n in ("shout", "own", "text", "endless")]
    steps = [*before, *({"call": name, "args": args} for name, args, _ in CALLS)]
    seen = runner.run(order("javascript", ODD, list(dict.fromkeys(names)), steps))
    assert seen.ended is ProcessEnded.OK, seen.why
    shout, own, text, endless = seen.steps[:4]
    assert (shout.value, shout.stdout) == (1, "to stdout\n")
    assert (own.raised, own.bases, own.text) == ("Own", ("TypeError", "Error"), "k")
    assert (text.raised, text.text) == ("string", "a text")
    assert endless.value["more"] is True and len(endless.value["$iterator"]) == 10_000
    for step, (name, _, expected) in zip(seen.steps[4:], CALLS, strict=True):
        assert (name, step.value) == (name, expected)


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        ("module.exports = function (x) { return 'it'; };", "anything"),
        ("exports.getIt = (x) => 'it'; exports.other = 1;", "get_it"),
        ("module.exports = { get_it(x) { return 'it'; } };", "getIt"),
        ("class Vault { getIt() { return 'it'; } }\nmodule.exports = { Vault };", "get_it"),
        ("class Vault { getIt() { return 'it'; } }", "Vault.getIt"),
        ("export function getIt() { return 'it'; }", "get_it"),
        ("import fs from 'fs';\nconst getIt = () => 'it';", "getIt"),
        ("export default function () { return 'it'; }", "getIt"),
        ("const v = await Promise.resolve('it');\nexport const getIt = () => v;", "getIt"),
        ("const other = 1;\nconst only = () => 'it';", "getIt"),
        (
            "if (require.main === module) process.exit(1);\nvar getIt = function () { return 'it'; };",
            "getIt",
        ),
    ],
)
def test_every_kind_of_module_is_loaded(runner: ProgramRunner, source: str, asked: str) -> None:
    assert called(runner, "javascript", source, asked, 1).value == "it"


@pytest.mark.parametrize(
    ("source", "kwargs", "expected"),
    [
        ("function f(a, b) { return [a, b]; }", {"b": 1, "a": 2}, [2, 1]),
        ("const f = (userName, n = ',)') => [userName, n];", {"user_name": 1}, [1, ",)"]),
        ("function f({ a, b }) { return [a, b]; }", {"b": 1, "a": 2}, [2, 1]),
        ("function f(options) { return options; }", {"a": 1, "b": 2}, {"a": 1, "b": 2}),
        ("const f = async x => x;", {"y": 3}, 3),
        ("function f(a /* b) */, /* c */ b) { return [a, b]; }", {"b": 1, "a": 2}, [2, 1]),
    ],
)
def test_arguments_by_name(runner: ProgramRunner, source: str, kwargs: Any, expected: Any) -> None:
    assert called(runner, "javascript", source, "f", **kwargs).value == expected


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("function f( {", "syntax-error: SyntaxError"),
        ("export function f( {", "syntax-error: SyntaxError"),
        ("require('no-such-thing'); function f() {}", "missing-dependency: no-such-thing"),
        (
            "import x from 'no-such-thing'; export function f() {}",
            "missing-dependency: no-such-thing",
        ),
        ("JSON.parse('{'); function f() {}", "import-error: SyntaxError"),
        ("process.exit(4)", "died"),
        ("function g() {}\nfunction h() {}", "no-entry-point: f"),
    ],
)
def test_what_cannot_be_loaded_is_named(runner: ProgramRunner, source: str, why: str) -> None:
    assert refused(runner, "javascript", source, ["f"]).startswith(why)


@pytest.mark.parametrize("body", ["process.exit(0)", "return new Promise(() => {})"])
def test_a_call_that_never_answers_ends_as_died(runner: ProgramRunner, body: str) -> None:
    seen = runner.run(order("javascript", f"function f() {{ {body} }}", ["f"], [{"call": "f"}]))
    assert seen.steps[0].ended is ProcessEnded.DIED


def test_a_timer_left_behind_does_not_hold_the_order(runner: ProgramRunner) -> None:
    source = "function f() { setInterval(() => 0, 100); return 1; }"
    seen = runner.run(order("javascript", source, ["f"], [{"call": "f"}]))
    assert seen.steps[0].value == 1 and seen.seconds < 5
