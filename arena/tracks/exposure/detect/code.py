"""Untrusted text that is run as Python (CWE-94, CWE-95).

A sink is a call that runs text (eval, exec and what evaluates by them) or that reads a value out of text
in another way. It is vulnerable where untrusted data is in text that is run; taking the builtins away does
not make that safe.
"""

from __future__ import annotations

import ast
import re
import string

from arena.tracks.exposure.detect._characters import TaintedText
from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    safe,
    vulnerable,
)
from arena.tracks.exposure.detect._followed import first_of, judged_parts
from arena.tracks.exposure.detect._tainted import matching
from arena.tracks.exposure.flow.facts import UNKNOWN, CallFact, ProgramFacts, TaintSource, Value

_RUNS = re.compile(
    r"(?:builtins\.|__builtin__\.|__builtins__\.)?(?:eval|exec|compile|execfile|__import__)|code\.\w+"
    r"|code\.Interactive(?:Interpreter|Console)\(\)\.(?:runsource|runcode|push)|timeit\.(?:timeit|repeat|Timer)"
    r"|cProfile\.run|(?:pandas|pd)\.eval|importlib\.import_module"
    r"|sympy\.(?:sympify|S|parse_expr|parsing\.sympy_parser\.parse_expr)|RestrictedPython\.compile_restricted"
)
_TEXTS = ("source", "expr", "stmt", "code")
# What makes a value of text without running it, also as the `type` of an argument.
_READS = re.compile(
    r"ast\.(?:literal_eval|parse)|int|float|complex|decimal\.Decimal|fractions\.Fraction|json\.loads?"
    r"|simpleeval\.\w+(?:\(\)\.eval)?|asteval\.Interpreter\(\)(?:\.eval)?|numexpr\.evaluate|py_expression_eval\.\S+"
    r"|pyparsing\.\S+|lark\.Lark\(\)\.parse|ply\.\S+|operator\.\w+"
)
_SANITIZERS = matching(
    r"int|float|bool|complex|len|ord|hash|round|abs|sum|decimal\.Decimal|fractions\.Fraction|ast\.literal_eval"
    r"|uuid\.UUID|\.hexdigest|numpy\.\w*(?:int|float)\w*|simpleeval\.\w+|\?\w*(?:escape|sanit|clean|valid)\w*"
)
# Names begin with these; "e" stands in numbers.
_HARMFUL = "_" + "".join(
    ascii_letter for ascii_letter in string.ascii_letters if ascii_letter not in "eE"
)


def _walked_sources(facts: ProgramFacts) -> frozenset[TaintSource]:
    """Sources whose syntax tree the program goes through, refusing nodes that are not of certain kinds."""
    if not any(_refuses_others(node) for node in ast.walk(facts.tree)):
        return frozenset()
    names = (
        call.arguments[0] for call in facts.calls_of("ast.walk", "isinstance") if call.arguments
    )
    return frozenset(
        flow.source for value in names for flow in value.flows if "ast.parse" in flow.through
    )


def _refuses_others(node: ast.AST) -> bool:
    """`not isinstance(...)`."""
    if not (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
        return False
    called = node.operand.func if isinstance(node.operand, ast.Call) else None
    return isinstance(called, ast.Name) and called.id == "isinstance"


def _judge(facts: ProgramFacts) -> Finding:
    data = TaintedText(facts, _HARMFUL, _SANITIZERS, letters=False)
    walked = _walked_sources(facts)
    findings: list[Finding] = []
    for call in facts.calls:
        runs = any(_RUNS.fullmatch(path) for path in call.paths)
        reads = call.paths | call.keywords.get("type", UNKNOWN).paths
        if not runs and not any(_READS.fullmatch(path) for path in reads):
            continue
        flow = data.first(call.argument(0, *_TEXTS), call.checks) if runs else None
        # A program that walks the tree and refuses other nodes may well run what is left.
        if flow is not None and not ("ast.parse" in flow.through and flow.source in walked):
            return vulnerable(call.line, f"{flow.source.name} reaches {min(call.paths)}")
        text = call.argument(0, *_TEXTS)
        findings.append(_judge_harmless(call, runs, text, data.kept_by([text], call.checks)))
    return first_of(findings) or not_applicable("no text is evaluated")


def _judge_harmless(call: CallFact, runs: bool, text: Value | None, why: str | None) -> Finding:
    """The finding for text that is only read, or for text that is run and not untrusted."""
    name = min(call.paths).lstrip("?$")
    if not runs:
        return safe(call.line, f"no text is run: {name} reads a value, or works on one")
    if why is None and text is not None:
        why = "the text is constant" if text.exact else "the text is made by the program itself"
    return judged_parts(call.line, [text], "text that is run", f"{name}: {why}")


_EXAMPLE = """import ast
from flask import Flask, request
app = Flask(__name__)
@app.get("/calc")
def calc():
    text = request.args["text"]
    return str({})
"""

PLUGIN = Detector(
    "untrusted text that is run as code",
    ("CWE-94", "CWE-95"),
    _judge,
    (
        DetectorExample("evaluated", _EXAMPLE.format("eval(text)"), Verdict.VULNERABLE),
        DetectorExample(
            "evaluated without builtins",
            _EXAMPLE.format('eval(text, {"__builtins__": {}}, {})'),
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "read as a literal", _EXAMPLE.format("ast.literal_eval(text)"), Verdict.SAFE
        ),
        DetectorExample("a number", _EXAMPLE.format("2 * float(text)"), Verdict.SAFE),
        DetectorExample(
            "by an executor",
            _EXAMPLE.format("executor.submit(eval, text)"),
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "text of an attribute",
            "def holds(self, row):\n    return eval(self.text, {'row': row})\n",
            Verdict.UNKNOWN,
        ),
        DetectorExample(
            "no text is evaluated", _EXAMPLE.format("text.upper()"), Verdict.NOT_APPLICABLE
        ),
    ),
)
