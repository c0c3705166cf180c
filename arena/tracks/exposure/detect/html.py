"""Data of a request that is sent back as HTML, so that it can hold a script (CWE-79).

A sink is a response, text that is declared to be markup, or a template that is written in the program. It is
vulnerable where untrusted data is in it and was not escaped; frameworks' templates escape their values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from arena.tracks.exposure.detect import jinja
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
from arena.tracks.exposure.detect._responses import JUDGED, Body, bodies
from arena.tracks.exposure.detect._tainted import matching, went_through
from arena.tracks.exposure.flow.facts import CallFact, Flow, ProgramFacts, TaintSource, Value

_ESCAPES = matching(
    r"(?:html|cgi|flask|quart|markupsafe|jinja2(?:\.utils)?|werkzeug\.(?:utils|html)|xml\.sax\.saxutils|bottle"
    r"|django\.utils\.html|mako\.filters|tornado\.escape|genshi|saxutils)\."
    r"(?:escape(?:_silent|js)?|html_escape|xhtml_escape|quoteattr|conditional_escape|strip_tags|format_html\w*|linkify)"
    r"|(?:markupsafe|flask|jinja2)\.Markup\.escape|bleach\.clean|nh3\.clean|lxml\.html\.clean\.\w+|tornado\.escape\.url_escape"
    r"|urllib\.parse\.(?:quote|quote_plus|urlencode)|urllib\.(?:quote|quote_plus|urlencode)|flask\.url_for"
    r"|(?:flask|quart)\.(?:render_template|jsonify)|django\.(?:shortcuts|template\.loader)\.\w+|django\.urls\.reverse"
    r"|int|float|bool|len|ord|hash|round|uuid\.UUID|\.hexdigest|base64\.\w*b64encode|ipaddress\.\w+"
    r"|(?:\??[\w.]+\.)?(?:escape_?html|html_?escape|escape)|werkzeug\.utils\.secure_filename|django\.utils\.text\.slugify|bottle\.(?:template|jinja2_template)"
)
_UNESCAPES = re.compile(r".*(?:unescape|unescape_html)")
# A function that the program calls and nothing defines may render a template.
_UNDEFINED = re.compile(r"\?\w+")
_RENDERS = frozenset((".render", ".render_async", ".generate"))
_MARKUP_PATHS = (
    "markupsafe.Markup()",
    "flask.Markup()",
    "jinja2.Markup()",
    "jinja2.utils.Markup()",
)
_DECLARES = re.compile(
    r"(?:markupsafe|flask|jinja2(?:\.utils)?|\?)\.?Markup|django\.utils\.safestring\.(?:mark_safe|SafeString|SafeText)"
    r"|\?mark_safe|bottle\.SimpleTemplate"
)
_TEMPLATES = re.compile(
    r"(?:flask|quart)\.render_template_string|bottle\.template|\?render_template_string"
)
_UNESCAPED_PLACE = re.compile(r"\{\{[^}]{0,200}\|\s*safe\b|\{%-?\s*autoescape\s+false|\{\{!")


class _HtmlSinks:
    """The HTML sinks of a program, and which of its data is still unescaped."""

    def __init__(self, facts: ProgramFacts) -> None:
        self._facts = facts
        # Without `<` no element can begin; escapes are judged by this detector itself.
        self._tainted = TaintedText(facts, "<", lambda _: False)
        self._weak_templates = jinja.PLUGIN.judge(facts).verdict is Verdict.VULNERABLE or any(
            name.startswith("mako") for name in facts.imports
        )
        self._formatted = frozenset(_formatted_into_markup(facts))

    def _is_escaped(self, flow: Flow) -> bool:
        # Before the escapes: steps have no order, and a text that was unescaped at any time is not trusted.
        if any(_UNESCAPES.fullmatch(step) for step in flow.through):
            return False
        if any(_ESCAPES(step) for step in flow.through):
            return True
        if any(_UNDEFINED.fullmatch(step) for step in flow.through):
            return True
        if flow.through & _RENDERS:
            # Templates escape unless the program's environment says otherwise; Mako's do not by default.
            return not self._weak_templates
        return ".format" in flow.through and flow.source in self._formatted

    def unescaped_flow(self, body: Body, judged: bool = False) -> Flow | None:
        """Data that stands in a body as it came; `judged`: leave what further sinks are judged by."""
        # `Markup("...") + text` and `%` of a Markup escape what is added.
        if body.value.pieces and body.value.pieces[0].is_(*_MARKUP_PATHS):
            return None
        left = frozenset(
            flow
            for flow in body.value.flows
            if not self._is_escaped(flow)
            and not (judged and any(_is_sink(step) for step in flow.through))
        )
        return self._tainted.first(Value(flows=left), body.checks)

    def kept_by(self, body: Body) -> str | None:
        """Why untrusted data in a body does no harm; None where it holds none."""
        for flow in body.value.untrusted_flows:
            name = flow.source.name
            for step in sorted(flow.through):
                if _ESCAPES(step) or _UNDEFINED.fullmatch(step) or step in _RENDERS:
                    return went_through(name, step)
                if _is_sink(step):
                    return f"{name} went into {step.lstrip('.?')}(), which is looked at for itself"
            return self._tainted.kept_by([body.value], body.checks)
        return None

    def sinks(self) -> Iterator[tuple[Body, bool]]:
        """All sinks, and whether data that went through another sink counts there."""
        for body in bodies(self._facts):
            yield body, True
        for call in self._facts.calls:
            for body in _texts_of(call):
                yield body, False


def _is_sink(step: str) -> bool:
    return any(item.fullmatch(step) is not None for item in (JUDGED, _DECLARES, _TEMPLATES))


def _formatted_into_markup(facts: ProgramFacts) -> Iterator[TaintSource]:
    """Sources that Markup(...).format(...) escapes."""
    for call in facts.calls_of(*(f"{path}.format" for path in _MARKUP_PATHS)):
        for flow in call.result.flows:
            yield flow.source


def _texts_of(call: CallFact) -> Iterator[Body]:
    """Text that a call takes as markup, and what an inline template does not escape."""
    name = min(call.paths, default="")
    declares, renders = _DECLARES.fullmatch(name), _TEMPLATES.fullmatch(name)
    if not call.arguments or not (declares or renders):
        return
    text = call.arguments[0]
    yield Body(text, call.checks, call.line, f"{name} as markup", True)
    # Which value goes into that place is not followed, so each of them counts.
    if renders and any(_UNESCAPED_PLACE.search(item) for item in text.texts):
        for value in (*call.arguments[1:], *call.keywords.values()):
            yield Body(value, call.checks, call.line, f"{name} without escape", True)


def _judge(facts: ProgramFacts) -> Finding:
    reading = _HtmlSinks(facts)
    findings: list[Finding] = []
    for body, judged in reading.sinks():
        flow = reading.unescaped_flow(body, judged) if body.markup else None
        if flow is not None:
            return vulnerable(body.line, f"{flow.source.name} reaches {body.name} unescaped")
        findings.append(_judge_harmless(body, reading.kept_by(body)))
    return first_of(findings) or not_applicable("no response and no markup is made of data")


def _judge_harmless(body: Body, why: str | None) -> Finding:
    """The finding for a body that holds no unescaped untrusted data."""
    if not body.markup:
        return safe(body.line, f"{body.name} is sent as no markup")
    if why is None:
        why = "is constant" if body.value.exact else "is reached by no untrusted text"
        why = f"{body.name} {why}"
    return judged_parts(body.line, [body.value], body.name, why)


_EXAMPLE = """from flask import Flask, Response, render_template, request
from markupsafe import escape
app = Flask(__name__)
@app.get("/hello/<name>")
def hello(name):
    return {}
"""

PLUGIN = Detector(
    "data of a request sent back as HTML without escape",
    ("CWE-79",),
    _judge,
    (
        DetectorExample(
            "put into HTML", _EXAMPLE.format('f"<h1>Hello {name}</h1>"'), Verdict.VULNERABLE
        ),
        DetectorExample(
            "escaped", _EXAMPLE.format('f"<h1>Hello {escape(name)}</h1>"'), Verdict.SAFE
        ),
        DetectorExample(
            "a template escapes",
            _EXAMPLE.format('render_template("a.html", name=name)'),
            Verdict.SAFE,
        ),
        DetectorExample(
            "plain text",
            _EXAMPLE.format('Response("Hello " + name, mimetype="text/plain")'),
            Verdict.SAFE,
        ),
        DetectorExample(
            "markup without a framework",
            "def title(name):\n    return f'<h1>{name}</h1>'\n",
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "markup without a framework, escaped",
            "from html import escape\n\ndef title(name):\n    return f'<h1>{escape(name)}</h1>'\n",
            Verdict.SAFE,
        ),
        DetectorExample(
            "a page of a function that is not defined here",
            _EXAMPLE.format("page(name)"),
            Verdict.UNKNOWN,
        ),
        DetectorExample(
            "printed, and not sent",
            "name = input()\nprint('Hello ' + name)\n",
            Verdict.NOT_APPLICABLE,
        ),
    ),
)
