"""A redirect to wherever a request says, with nothing that keeps it on hosts of the program's choice."""

from __future__ import annotations

from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    vulnerable,
)
from arena.tracks.exposure.detect._followed import first_of, judged_parts, safe_or_unknown
from arena.tracks.exposure.detect._grades import GOOD
from arena.tracks.exposure.detect._guards import Guards
from arena.tracks.exposure.detect._host_control import controlling_flows
from arena.tracks.exposure.detect._program import parsed_program
from arena.tracks.exposure.detect._redirects import MAX_REDIRECTS, Redirect, redirects
from arena.tracks.exposure.flow.facts import ProgramFacts


def judge(facts: ProgramFacts) -> Finding:
    """Vulnerable where data of a request can choose the host, and no test that is passed keeps it back."""
    program = parsed_program(facts)
    findings: list[Finding] = []
    for redirect in _first(facts):
        flow = controlling_flows(redirect)
        if flow is None:
            findings.append(_judge_harmless(redirect))
            continue
        good = [
            passed_test
            for passed_test in Guards(program, redirect).passed_tests()
            if passed_test.grade in GOOD
        ]
        # Only one unchecked redirect is needed, so that the rest is not looked at.
        if not good:
            return vulnerable(
                redirect.line, f"{flow.source.name} chooses where {redirect.name} leads, unchecked"
            )
        findings.append(
            safe_or_unknown(
                good[0].line or redirect.line, f"{flow.source.name} is checked by {good[0].what}"
            )
        )
    return first_of(findings) or not_applicable("no redirect")


def _judge_harmless(redirect: Redirect) -> Finding:
    """The finding for a redirect whose host no untrusted data chooses."""
    target = redirect.target
    # Worded for the target as a whole; the line below replaces it where untrusted data is in a part of it.
    why = "is constant" if target.exact else "is made of constants and the program's own"
    if redirect.untrusted_flows:
        why = "has a host of the program's own before what is untrusted, or none"
    parts = () if redirect.untrusted_flows else (target,)
    return judged_parts(
        redirect.line,
        parts,
        f"the target of {redirect.name}",
        f"{redirect.name}: its target {why}",
        True,
    )


def _first(facts: ProgramFacts) -> list[Redirect]:
    every = list(redirects(facts))
    return sorted(every, key=lambda item: not item.untrusted_flows)[:MAX_REDIRECTS]


_HEAD = "from flask import redirect, request, url_for\nfrom urllib.parse import urlparse\n"
PLUGIN = Detector(
    "redirect to an address of an attacker's choice",
    ("CWE-601",),
    judge,
    (
        DetectorExample(
            "straight from the query",
            _HEAD + "def go():\n    return redirect(request.args.get('next'))\n",
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "a test for a part of it is none",
            _HEAD
            + "def go():\n    url = request.args['next']\n"
            + "    if 'example.com' in url:\n        return redirect(url)\n",
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "no host in it",
            _HEAD
            + "def go():\n    url = request.args['next']\n"
            + "    if urlparse(url).netloc:\n        url = '/'\n    return redirect(url)\n",
            Verdict.SAFE,
        ),
        DetectorExample(
            "an address of the program's own",
            _HEAD + "def go():\n    return redirect(url_for('find', q=request.args['q']))\n",
            Verdict.SAFE,
        ),
        DetectorExample(
            "a header that is returned",
            "def go(target):\n    return f'Location: {target}'\n",
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "a check that is not defined here",
            _HEAD
            + "from tools import is_safe_url\n"
            + "def go():\n    url = request.args['next']\n"
            + "    return redirect(url if is_safe_url(url) else '/')\n",
            Verdict.UNKNOWN,
        ),
        DetectorExample(
            "a page instead",
            _HEAD + "def go():\n    return request.args['next']\n",
            Verdict.NOT_APPLICABLE,
        ),
    ),
)
