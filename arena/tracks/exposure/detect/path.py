"""CWE-22: a name that an attacker chose opens a file outside of its folder."""

from __future__ import annotations

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
from arena.tracks.exposure.detect._files import (
    call_name,
    keeps_inside,
    named_files,
    tainted_names,
    touches_file,
)
from arena.tracks.exposure.detect._followed import first_of, judged_parts
from arena.tracks.exposure.detect._path_traversal import CLEANING, escaping, is_base, is_last_part
from arena.tracks.exposure.detect._replacements import rewrites
from arena.tracks.exposure.detect._tainted import asked_unseen
from arena.tracks.exposure.flow.facts import CallFact, Flow, ProgramFacts, Value


def _judge(facts: ProgramFacts) -> Finding:
    findings: list[Finding] = []
    rewritten = rewrites(facts)
    for call in facts.calls:
        if not touches_file(call):
            continue
        named = list(named_files(call))
        for value in named:
            flow = escaping(value, call.checks, tainted_names(value), rewritten)
            # A question of a function that is not shown may be the very check that is missing.
            if flow is not None and (reason := asked_unseen(flow, call.checks)):
                findings.append(unknown(call.line, reason))
            elif flow is not None:
                return vulnerable(
                    call.line, f"{flow.source.name} names the file of {call_name(call)}"
                )
        # Gathered and weighed at the end: a later call may still be vulnerable.
        findings.append(_judge_harmless(call, named))
    return first_of(findings) or not_applicable("no file is touched by a name")


def _how(flow: Flow) -> str:
    """What keeps a name in its folder, for people."""
    # Sorted, so that the report names the same step each time.
    step = next(iter(sorted(flow.through & CLEANING)), None)
    if step is not None:
        return f"went through {step.lstrip('.')}()"
    return (
        "is cut to the last part of a path"
        if is_last_part(flow)
        else "is checked or cleaned before"
    )


def _judge_harmless(call: CallFact, named: list[Value]) -> Finding:
    """The finding for a file whose name cannot leave its folder."""
    name = call_name(call)
    values = [(value, flow) for value in named for flow in tainted_names(value)]
    # Where a path begins with it, it is the folder itself, and leads out of none.
    flows = [flow for value, flow in values if not is_base(value, flow)]
    if values and not flows:
        return unknown(
            call.line, f"{values[0][1].source.name} is the folder of {name}, and the caller's"
        )
    if flows:
        source = flows[0].source.name
        return safe(call.line, f"{source} {_how(flows[0])}, so that {name} stays in its folder")
    if keeps_inside(call):
        return safe(call.line, f"{name} keeps the name that it is given inside of its folder")
    parts = named if any(value.untrusted_flows for value in call.values) or not named else named[:1]
    return judged_parts(
        call.line,
        parts,
        f"the name of the file of {name}",
        f"{name} is given a name that is constant, a setting or the program's own",
        settings=True,
    )


_HEAD = (
    "import os\nfrom flask import Flask, abort, redirect, request, send_file, send_from_directory\n"
)
_VIEW = (
    _HEAD
    + "app = Flask(__name__)\n\n@app.route('/img')\ndef img():\n    name = request.args.get('name')\n"
)
_SENT_JOINED = "    return send_file(os.path.join('images', name))\n"
_CHECKED_TOO_EARLY = """    path = os.path.join('/srv', name)
    if not path.startswith('/srv'):
        abort(404)
    return open(path).read()
"""
_FROM_DIRECTORY = "    return send_from_directory('images', name)\n"
_LISTED = """    if name not in os.listdir('images'):
        abort(404)
    return send_file('images/' + name)
"""
_REDIRECTED = "    return redirect('/static/' + name)\n"

PLUGIN = Detector(
    title="a chosen name opens any file",
    cwes=("CWE-22",),
    judge=_judge,
    examples=(
        DetectorExample("joined to a folder", _VIEW + _SENT_JOINED, Verdict.VULNERABLE),
        DetectorExample(
            "checked before it is normalised", _VIEW + _CHECKED_TOO_EARLY, Verdict.VULNERABLE
        ),
        DetectorExample("the framework keeps it inside", _VIEW + _FROM_DIRECTORY, Verdict.SAFE),
        DetectorExample("one of the folder's own", _VIEW + _LISTED, Verdict.SAFE),
        DetectorExample(
            "a folder that is the helper's parameter",
            "import os\n\ndef read(folder, name):\n"
            "    path = os.path.abspath(os.path.join(folder, name))\n"
            "    if not path.startswith(os.path.abspath(folder)):\n        raise ValueError\n"
            "    return open(path).read()\n",
            Verdict.SAFE,
        ),
        DetectorExample(
            "nothing but the caller's folder",
            "import os\n\ndef read(folder):\n    return open(os.path.join(folder, 'a.txt')).read()\n",
            Verdict.UNKNOWN,
        ),
        DetectorExample("only a redirect", _VIEW + _REDIRECTED, Verdict.NOT_APPLICABLE),
    ),
)
