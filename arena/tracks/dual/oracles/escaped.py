"""A text that is data in a page, and adds no markup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    call_step,
    example,
    raising_step,
    ran,
    response_step,
)
from arena.tracks.dual.oracles._html import elements
from arena.tracks.dual.oracles._markup import parse_payload, wrong
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import text
from arena.tracks.dual.oracles._texts import strings
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, unmade
from arena.tracks.dual.runner.observation import StepObservation

PAGES = ("text/html", "application/xhtml+xml", "image/svg+xml", "text/xml", "application/xml")


def _describe_element(page: str, tag: str, attribute: str) -> str:
    """The first element of a name, or with an attribute of a name, in words; "" where there is none."""
    for element in elements(page):
        if tag and element.tag == tag:
            return f"there is an element <{tag}>"
        if attribute and any(item.name == attribute for item in element.attributes):
            return f"the element <{element.tag}> has an attribute {attribute}"
    return ""


def _pages(step: StepObservation) -> Iterator[str]:
    """What a step gave that a browser would show as HTML."""
    if step.status is None:
        yield from (step.stdout,) if step.exit is not None else strings(step.value)
    # Without a type browsers guess from the content, and may guess HTML.
    elif _content_type(step) in ("", *PAGES):
        yield step.body


def _content_type(step: StepObservation) -> str:
    kinds = [value for name, value in step.headers if name == "content-type"]
    return kinds[-1].partition(";")[0].strip().lower() if kinds else ""


def _judge(case: OracleCase) -> Judgement:
    parameters, step = case.parameters, case.examined_step
    if step is None:
        return unmade(case) or fail_judgement("no step was made")
    payload = parse_payload(parameters["payload"]) if "payload" in parameters else None
    tag, attribute = parameters.get("tag", "").lower(), parameters.get("attribute", "").lower()
    pages = list(_pages(step))
    for page in pages:
        difference = (wrong(page, payload) if payload else "") or _describe_element(
            page, tag, attribute
        )
        # Before the check whether the step took place: markup that was seen counts, whatever came afterwards.
        if difference:
            return fail_judgement(difference, _excerpt(page, parameters))
    if reason := unmade(case):
        return reason
    return pass_judgement(
        pages[0] if pages else f"no HTML: {_content_type(step) or step.raised or step.ended}"
    )


def _excerpt(page: str, parameters: Mapping[str, Any]) -> str:
    """The part of a page where the payload stands, for people; the start where it is nowhere as it is."""
    payload = parameters.get("payload", "")
    at = page.find(payload) if payload else -1
    return page[max(0, at - 200) : at + 1_500] if at >= 0 else page


_SCRIPT = {"payload": "<script>alert(1)</script>"}
_IMAGE = {"payload": "<img src=x onerror=alert(1)>"}
_BREAK = {"payload": '" onmouseover="alert(1)'}
_ADDRESS = {"payload": "javascript:alert(1)"}
_JSON = {"content_type": "application/json; charset=utf-8"}

PLUGIN = Oracle(
    name="escaped",
    title="the input adds no markup to a page",
    kind="security",
    judge=_judge,
    parameters={
        "payload": text("the input; the markup that it would create must be absent"),
        "tag": text("no element of this name may be there"),
        "attribute": text("no element may have this attribute"),
    },
    any_of=("payload", "tag", "attribute"),
    examples=(
        example(
            "escaped", PASS, response_step(200, "<p>&lt;script&gt;alert(1)&lt;/script&gt;"), _SCRIPT
        ),
        example("removed", PASS, response_step(200, "<p>alert(1)</p>"), _SCRIPT),
        example("unescaped", FAIL, response_step(200, "<p><script>alert(1)</script></p>"), _SCRIPT),
        example("in another case", FAIL, call_step("<ScRiPt >alert(1)</sCrIpT>"), _SCRIPT),
        example(
            "left over by a filter",
            FAIL,
            call_step("<script>alert(1)</script>"),
            {"payload": "<scr<script>ipt>alert(1)</scr</script>ipt>"},
        ),
        example(
            "a script of the page's own",
            PASS,
            response_step(200, "<script src=/a.js></script>"),
            _SCRIPT,
        ),
        example(
            "a script of the page's own, and an empty one",
            PASS,
            response_step(200, "<script src=/a.js></script>&quot;&gt;&lt;script&gt;"),
            {"payload": '"><script>'},
        ),
        example(
            "in JSON, which is not a page",
            PASS,
            response_step(200, '{"q": "<script>alert(1)</script>"}', **_JSON),
            _SCRIPT,
        ),
        example(
            "JSON that is sent as a page",
            FAIL,
            response_step(200, '{"q": "<script>alert(1)</script>"}', content_type="text/html"),
            _SCRIPT,
        ),
        example(
            "in a comment, unescaped",
            FAIL,
            response_step(200, "<!-- <script>alert(1)</script> -->"),
            _SCRIPT,
        ),
        example(
            "in a text area, unescaped",
            FAIL,
            call_step("<textarea><script>alert(1)</script></textarea>"),
            _SCRIPT,
        ),
        example(
            "in a text area, escaped",
            PASS,
            call_step("<textarea>&lt;script>alert(1)&lt;/script></textarea>"),
            _SCRIPT,
        ),
        example(
            "in a script, unescaped",
            FAIL,
            call_step('<script>var q = "<img src=x onerror=alert(1)>"</script>'),
            _IMAGE,
        ),
        example(
            "in a script, escaped",
            PASS,
            call_step('<script>var q = "\\u003cimg src=x onerror=alert(1)\\u003e"</script>'),
            _IMAGE,
        ),
        example(
            "escapes from a script's string",
            FAIL,
            call_step('<script>q="";alert(1)//"</script>'),
            {"payload": '";alert(1)//'},
        ),
        example(
            "inside a script's string",
            PASS,
            call_step('<script>q="\\";alert(1)//"</script>'),
            {"payload": '";alert(1)//'},
        ),
        example(
            "without quotes and with slashes",
            FAIL,
            call_step("<IMG/src='x'/onerror=alert(1)>"),
            _IMAGE,
        ),
        example(
            "cut by the page's end",
            FAIL,
            call_step("<p><img src=x onerror=alert(1)"),
            {"payload": "<img src=x onerror=alert(1)"},
        ),
        example(
            "closes the attribute",
            FAIL,
            ran('<input value="" onmouseover="alert(1)">'),
            _BREAK,
        ),
        example(
            "in an attribute that it cannot close",
            PASS,
            ran('<input value="&#34; onmouseover=&#34;alert(1)">'),
            _BREAK,
        ),
        example(
            "quotes need no escape in a text", PASS, ran('<p>" onmouseover="alert(1)</p>'), _BREAK
        ),
        example(
            "markup in a quoted attribute",
            PASS,
            call_step('<input value="<script>alert(1)</script>">'),
            _SCRIPT,
        ),
        example(
            "a URL that runs code",
            FAIL,
            call_step('<a href="java&#9;script:alert(1)">x</a>'),
            _ADDRESS,
        ),
        example("a URL as text", PASS, call_step("<a href='/x'>javascript:alert(1)</a>"), _ADDRESS),
        example(
            "the page's own URL",
            PASS,
            call_step("<a href='javascript:void(0)'>x</a>"),
            _ADDRESS,
        ),
        example("any element of a name", FAIL, call_step("<svg/onload=x>"), {"tag": "svg"}),
        example(
            "any attribute of a name",
            FAIL,
            call_step("<b onclick=x>"),
            {"attribute": "onclick"},
        ),
        example("refused", PASS, raising_step("ValueError"), _SCRIPT),
        example("never started", ERROR, NEVER, _SCRIPT),
    ),
    weaknesses=(
        "markup that becomes active only when a browser parses a fragment a second time",
        "addresses in style sheets",
    ),
)
