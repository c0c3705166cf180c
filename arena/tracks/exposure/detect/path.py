"""CWE-22: a name that an attacker chose opens a file outside of its folder."""

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
from arena.tracks.exposure.detect._files import call_name, named_files, tainted_names, touches_file
from arena.tracks.exposure.detect._path_traversal import escaping
from arena.tracks.exposure.detect._replacements import rewrites
from arena.tracks.exposure.flow.facts import CallFact, ProgramFacts


def _judge(facts: ProgramFacts) -> Finding:
    first: CallFact | None = None
    rewritten = rewrites(facts)
    for call in facts.calls:
        if not touches_file(call):
            continue
        first = first or call
        for value in named_files(call):
            flow = escaping(value, call.checks, tainted_names(value), rewritten)
            if flow is not None:
                return vulnerable(
                    call.line, f"{flow.source.name} names the file of {call_name(call)}"
                )
    if first is None:
        return not_applicable("no file is touched by a name")
    return safe(
        first.line, f"no name that somebody else chose leaves its folder at {call_name(first)}"
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
        DetectorExample("only a redirect", _VIEW + _REDIRECTED, Verdict.NOT_APPLICABLE),
    ),
)
