"""A redirect whose target is let through because a host's name is somewhere in it.

"https://evil.org/?example.com", "https://example.com.evil.org" and "https://evilexample.com" pass such a
test. Safe: the host that was parsed out of the URL is compared as a whole, or its end with the dot in front.
"""

from __future__ import annotations

from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    safe,
    vulnerable,
)
from arena.tracks.exposure.detect._followed import safe_or_unknown
from arena.tracks.exposure.detect._grades import GOOD, Grade
from arena.tracks.exposure.detect._guards import Guards
from arena.tracks.exposure.detect._host_control import controlling_flows
from arena.tracks.exposure.detect._program import parsed_program
from arena.tracks.exposure.detect._redirects import open_redirects
from arena.tracks.exposure.flow.facts import ProgramFacts

_BAD = (Grade.PART, Grade.LOOSE)


def judge(facts: ProgramFacts) -> Finding:
    """Vulnerable where only a test for a part of the URL is passed, or where a good test has failed."""
    program = parsed_program(facts)
    checked: Finding | None = None
    for redirect in open_redirects(facts):
        guards = Guards(program, redirect)
        held, anywhere = guards.passed_tests(), guards.anywhere()
        good = next((item for item in held if item.grade in GOOD), None)
        weak = next((item for item in (*held, *anywhere) if item.grade in _BAD), None)
        if weak is not None and redirect.untrusted_flows and controlling_flows(redirect) is None:
            why = f"the host of {redirect.name} is the program's choice"
            checked = checked or safe(redirect.line, why)
        elif good is None and weak is not None:
            return vulnerable(
                weak.line, f"{redirect.source} reaches {redirect.name}, checked by {weak.what}"
            )
        failed = (
            guards.failed_tests()
            if good is None and controlling_flows(redirect) is not None
            else []
        )
        if failed:
            why = f"{redirect.source} reaches {redirect.name} where {failed[0].what} fails"
            return vulnerable(failed[0].line, why)
        good = good or next((item for item in anywhere if item.grade in GOOD), None)
        if good is not None and checked is None:
            checked = safe_or_unknown(
                good.line or redirect.line, f"{redirect.source} is checked by {good.what}"
            )
    return checked or not_applicable("no redirect whose host is checked")


_HEAD = "from flask import redirect, request\nfrom urllib.parse import urlparse\n"
PLUGIN = Detector(
    "redirect guarded by a substring",
    ("CWE-20", "CWE-601"),
    judge,
    (
        DetectorExample(
            "the domain anywhere in the URL",
            _HEAD
            + "def go():\n    url = request.args['url']\n"
            + "    if 'example.com' in url:\n        return redirect(url)\n",
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "a host without the slash after it",
            _HEAD
            + "def go():\n    url = request.args['url']\n"
            + "    if url.startswith('https://example.com'):\n        return redirect(url)\n",
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "the whole host",
            _HEAD
            + "def go():\n    url = request.args['url']\n"
            + "    if urlparse(url).netloc == 'example.com':\n        return redirect(url)\n",
            Verdict.SAFE,
        ),
        DetectorExample(
            "no check of the host",
            _HEAD + "def go():\n    return redirect(request.args['url'])\n",
            Verdict.NOT_APPLICABLE,
        ),
    ),
)
