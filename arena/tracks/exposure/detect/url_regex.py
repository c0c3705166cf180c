"""A redirect guarded by a regular expression for a host, tried on addresses of different hosts.

An unescaped dot (wwwXexample.com), a missing end (example.com.evil.org, example.com@evil.org), a missing
boundary (evilexample.com) or a wildcard that reaches past the host (evil.org/?.example.com) lets them in.
"""

from __future__ import annotations

from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    vulnerable,
)
from arena.tracks.exposure.detect._followed import safe_or_unknown
from arena.tracks.exposure.detect._grades import GOOD, Grade
from arena.tracks.exposure.detect._guards import Guards
from arena.tracks.exposure.detect._host_control import controlling_flows
from arena.tracks.exposure.detect._program import parsed_program
from arena.tracks.exposure.detect._redirects import open_redirects
from arena.tracks.exposure.flow.facts import ProgramFacts


def judge(facts: ProgramFacts) -> Finding:
    """Vulnerable where a loose pattern is the only guard of a redirect, or where a strict pattern failed."""
    program = parsed_program(facts)
    checked: Finding | None = None
    for redirect in open_redirects(facts):
        guards = Guards(program, redirect)
        patterns = [
            graded_check
            for graded_check in guards.anywhere()
            if graded_check.grade in (Grade.STRICT, Grade.LOOSE)
        ]
        fixed = bool(redirect.untrusted_flows) and controlling_flows(redirect) is None
        better = fixed or any(passed_test.grade in GOOD for passed_test in guards.passed_tests())
        failed = [] if better else guards.failed_tests()
        if failed:
            why = f"{redirect.source} reaches {redirect.name} where {failed[0].what} fails"
            return vulnerable(failed[0].line, why)
        for test in patterns:
            if test.grade is Grade.LOOSE and not better:
                return vulnerable(
                    test.line,
                    f"{redirect.source} reaches {redirect.name}: {test.what} lets {test.passed!r} through",
                )
            good = next(
                (passed_test for passed_test in guards.passed_tests() if passed_test.grade in GOOD),
                None,
            )
            if test.grade is Grade.STRICT:
                why = f"{redirect.source} is checked by {test.what}"
            elif fixed or good is None:
                why = f"{redirect.name} leads to a host of the program's choice"
            else:
                why = f"{redirect.source} is checked by {good.what}"
            checked = checked or safe_or_unknown(test.line, why)
    return checked or not_applicable("no redirect that is guarded by a regular expression")


_HEAD = "import re\nfrom flask import redirect, request\n"
_BODY = "\ndef go():\n    url = request.args['url']\n    if rv.match(url):\n        return redirect(url)\n"
PLUGIN = Detector(
    "redirect guarded by a regular expression",
    ("CWE-20", "CWE-601"),
    judge,
    (
        DetectorExample(
            "a dot that is any character",
            _HEAD + "rv = re.compile(r'^https://www.example.com/')" + _BODY,
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "nothing after the domain",
            _HEAD + r"rv = re.compile(r'^https?://example\.com')" + _BODY,
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "a slash or the end after the domain",
            _HEAD + r"rv = re.compile(r'^https?://([\w-]+\.)*example\.com(/|$)')" + _BODY,
            Verdict.SAFE,
        ),
        DetectorExample(
            "the pattern is missing",
            _HEAD + _BODY,
            Verdict.NOT_APPLICABLE,
        ),
    ),
)
