"""Environments and templates of Jinja2 that do not escape (CWE-79).

A sink is a call that creates either of them. It is vulnerable where `autoescape` is missing (default: off) or
can be false, unless it is switched on afterwards, or the only templates are written in the program and escape
all that they print.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    safe,
    unknown,
    vulnerable,
)
from arena.tracks.exposure.detect._followed import first_of, unfollowed_part
from arena.tracks.exposure.detect._templates import all_escaped
from arena.tracks.exposure.flow.facts import CallFact, ProgramFacts, Value
from arena.tracks.exposure.flow.names import dotted_name

_MAKERS = re.compile(
    r"jinja2\.(?:(?:sandbox\.)?(?:Immutable)?(?:Sandboxed)?Environment|Template"
    r"|nativetypes\.Native(?:Environment|Template))"
)
_CLASSES = re.compile(r"(?:Immutable)?(?:Sandboxed|Native)?Environment|(?:Native)?Template")
# Of `autoescape` among the arguments: jinja2's Environment.__init__ and Template.__new__.
_POSITION = {"Environment": 16, "Template": 17}
_SELECTS = ("jinja2.select_autoescape", "jinja2.utils.select_autoescape")
_ESCAPED_KINDS = re.compile(r"html?|jinja|j2|tpl|tmpl", re.IGNORECASE)
_SWITCHES = (".autoescape", ".jinja_options['autoescape']", ".select_jinja_autoescape")
_LOADING = (".get_template", ".select_template", ".get_or_select_template")


class _JinjaReading:
    def __init__(self, facts: ProgramFacts) -> None:
        self._facts = facts
        self._never = frozenset(_never(facts))
        self._selects_nothing = any(_selects_no_html(call) for call in facts.calls_of(*_SELECTS))
        self._on = {
            assignment.target.removesuffix(".autoescape")
            for assignment in facts.assignments
            if assignment.target.endswith(".autoescape") and not self.is_off(assignment.value)
        }
        self._names: dict[int, set[str]] = {}
        for assignment in facts.assignments:
            self._names.setdefault(assignment.line, set()).add(assignment.target)
        self._inline_escapes = _inline_escapes(facts)
        self._own, self._initial = _subclasses(facts.tree)

    def is_off(self, value: Value) -> bool:
        """Whether it can be an `autoescape` that escapes nothing."""
        if any(not constant for constant in value.constants) or value.is_(*self._never):
            return True
        return self._selects_nothing and any(f"{select}()" in value.paths for select in _SELECTS)

    def makes(self, call: CallFact) -> str | None:
        """The name of what a call makes, None if that is nothing of Jinja2."""
        if id(call.node) in self._initial:
            return self._initial[id(call.node)]
        maker = call.arguments[0] if call.is_("functools.partial") and call.arguments else call
        for path in sorted(maker.paths):
            if _MAKERS.fullmatch(path):
                return path
            if path.strip("<>") in self._own:
                return path.strip("<>")
        return None

    def is_weak(self, call: CallFact, name: str) -> bool:
        is_given = call.keywords.get("autoescape") or _positional_argument(call, name)
        if is_given is not None:
            return self.is_off(is_given)
        if "" in call.keywords:
            return False  # options that are not known are handed on
        # `env = Environment(...)` and later `env.autoescape = True`: the name stands on the line of the call.
        if self._names.get(call.line, set()) & self._on:
            return False
        return not self._escapes_itself(call, name)

    def _escapes_itself(self, call: CallFact, name: str) -> bool:
        if name.endswith("Template"):
            return bool(call.arguments) and all_escaped(call.arguments[0])
        return self._inline_escapes

    def switched_off(self) -> Iterator[tuple[int, str]]:
        """Places where an environment that is there already stops to escape."""
        for assignment in self._facts.assignments:
            options = (
                assignment.value.pairs if assignment.target.endswith(".jinja_options") else None
            )
            named = assignment.target.endswith(_SWITCHES)
            value = (options or {}).get("autoescape", assignment.value if named else None)
            if value is not None and self.is_off(value):
                yield assignment.line, f"{assignment.target} is switched off"
        for call in self._facts.calls:
            value = call.keywords.get("autoescape")
            path = min(call.paths, default="")
            # Wrappers of frameworks, such as `Jinja2Templates(autoescape=False)`.
            if "jinja" in path.lower() and value is not None and self.is_off(value):
                yield call.line, f"{path} switches autoescape off"


def _positional_argument(call: CallFact, name: str) -> Value | None:
    position = _POSITION["Template" if name.endswith("Template") else "Environment"]
    return call.arguments[position] if position < len(call.arguments) else None


def _inline_escapes(facts: ProgramFacts) -> bool:
    """Whether environments render nothing but templates of the program that escape by themselves."""
    # Templates of files are not seen, and need not escape by themselves.
    if any(True for _ in facts.calls_ending_with(*_LOADING)):
        return False
    texts = [
        call.arguments[0] for call in facts.calls_ending_with(".from_string") if call.arguments
    ]
    return bool(texts) and all(all_escaped(text) for text in texts)


def _never(facts: ProgramFacts) -> Iterator[str]:
    """Paths of the program's functions that give nothing but false constants."""
    returned: dict[str, list[Value]] = {}
    for item in facts.returns:
        returned.setdefault(item.function, []).append(item.value)
    for name, values in returned.items():
        if all(value.exact and not any(value.constants) for value in values):
            yield f"<{name}>"
    for node in ast.walk(facts.tree):
        if (
            isinstance(node, ast.Lambda)
            and isinstance(node.body, ast.Constant)
            and not node.body.value
        ):
            yield f"<lambda@{node.lineno}:{node.col_offset}>"


def _selects_no_html(call: CallFact) -> bool:
    """Whether a select_autoescape(...) leaves out pages of HTML."""
    disabled = call.argument(1, "disabled_extensions")
    if disabled is not None and any(_ESCAPED_KINDS.search(text) for text in _texts(disabled)):
        return True
    enabled, default = call.argument(0, "enabled_extensions"), call.argument(3, "default")
    if enabled is None or enabled.items is None or (default is not None and any(default.constants)):
        return False
    is_exact = all(item.exact for item in enabled.items)
    return is_exact and not any(_ESCAPED_KINDS.search(text) for text in _texts(enabled))


def _texts(value: Value) -> Iterator[str]:
    for item in (value, *(value.items or ())):
        yield from item.texts


def _subclasses(tree: ast.Module) -> tuple[set[str], dict[int, str]]:
    """Classes that make an environment by themselves; calls of super().__init__ in the others."""
    names: set[str] = set()
    initial: dict[int, str] = {}
    makers = _imported_makers(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        if not any(dotted_name(base) in makers | names for base in node.bases):
            continue
        calls = [item for item in ast.walk(node) if _is_initial(item)]
        # A class that calls `super().__init__` says there what its environment is given.
        initial.update({id(call): node.name for call in calls})
        if not calls:
            names.add(node.name)
    return names, initial


def _is_initial(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "__init__"
    )


def _imported_makers(tree: ast.Module) -> set[str]:
    """Names, as written, by which the program knows Jinja2's classes."""
    makers: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("jinja2"):
            makers |= {
                name.asname or name.name for name in node.names if _CLASSES.fullmatch(name.name)
            }
        elif isinstance(node, ast.Import):
            modules = [
                name.asname or name.name for name in node.names if name.name.startswith("jinja2")
            ]
            makers |= {f"{module}.Environment" for module in modules}
            makers |= {f"{module}.sandbox.SandboxedEnvironment" for module in modules}
    return makers


def _judge(facts: ProgramFacts) -> Finding:
    reading = _JinjaReading(facts)
    off: Iterable[tuple[int, str]] = reading.switched_off()
    for line, why in off:
        return vulnerable(line, why)
    findings: list[Finding] = []
    for call in facts.calls:
        name = reading.makes(call)
        if name is None:
            continue
        if reading.is_weak(call, name):
            return vulnerable(call.line, f"{name} is made without autoescape")
        findings.append(_judge_harmless(call, name))
    return first_of(findings) or not_applicable("no environment and no template of Jinja2 is made")


def _judge_harmless(call: CallFact, name: str) -> Finding:
    """The finding for an environment or a template without evidence of weakness."""
    if "" in call.keywords:
        return unknown(call.line, f"{name} is given options that are not seen")
    is_given = call.keywords.get("autoescape") or _positional_argument(call, name)
    if is_given is None:
        return safe(
            call.line, f"{name} escapes what its templates print, by a switch or in each place"
        )
    chosen = (
        [flow.source.name for flow in is_given.untrusted_flows] if not is_given.constants else []
    )
    part = unfollowed_part(is_given) or next(iter(chosen), None)
    if part is not None:
        return unknown(call.line, f"{part} says whether {name} escapes, and is not seen")
    return safe(call.line, f"{name} is told to escape")


_EXAMPLE = """import jinja2
from flask import Flask, render_template, request
app = Flask(__name__)
{}
@app.get("/")
def home():
    return {}
"""
_RENDER = 'env.get_template("a.html").render(name=request.args["name"])'

PLUGIN = Detector(
    "an environment of Jinja2 that does not escape",
    ("CWE-79", "CWE-116"),
    _judge,
    (
        DetectorExample(
            "autoescape is missing",
            _EXAMPLE.format(
                'env = jinja2.Environment(loader=jinja2.FileSystemLoader("."))', _RENDER
            ),
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "switched off afterwards",
            _EXAMPLE.format(
                "env = jinja2.Environment(autoescape=True)\nenv.autoescape = False", _RENDER
            ),
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "chosen by the template's name",
            _EXAMPLE.format(
                "env = jinja2.Environment(autoescape=jinja2.select_autoescape())", _RENDER
            ),
            Verdict.SAFE,
        ),
        DetectorExample(
            "options that are handed on",
            "import jinja2\n\ndef made(**options):\n    return jinja2.Environment(**options)\n",
            Verdict.UNKNOWN,
        ),
        DetectorExample(
            "the framework's own environment",
            _EXAMPLE.format("", 'render_template("a.html", name=request.args["name"])'),
            Verdict.NOT_APPLICABLE,
        ),
    ),
)
