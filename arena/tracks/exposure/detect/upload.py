"""CWE-434: an uploaded file is stored under an ending that the sender chose, without a look at its type."""

from __future__ import annotations

import ast
from collections.abc import Callable

from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    safe,
    vulnerable,
)
from arena.tracks.exposure.detect._files import call_name, written_file
from arena.tracks.exposure.detect._followed import judged_parts
from arena.tracks.exposure.flow.facts import CallFact, Check, Flow, ProgramFacts, Value
from arena.tracks.exposure.flow.names import last_name

# Names by which frameworks hand over what was uploaded.
_SENT = frozenset(("files", "FILES", "UploadFile", "multipart", "FieldStorage", "FileField"))
_UPLOAD_SETS = ("flask_uploads.", "flask_reuploaded.")
_SAID_BY_SENDER = frozenset(
    (".content_type", ".mimetype", ".headers", ".content_length", ".read", ".size", "len")
)
# What determines a type by the content (or by the ending), whose outcome a program then compares.
_BY_CONTENT = (
    "magic.",
    "imghdr.what",
    "filetype.",
    "puremagic.",
    "mimetypes.guess_type",
    "fleep.",
    "PIL.Image.open().format",
)
_VALIDATORS = (
    "FileAllowed",
    "FileExtensionValidator",
    "validate_image_file_extension",
    "PIL.Image.open().verify",
)


def _judge(facts: ProgramFacts) -> Finding:
    by_name = _upload_functions(facts)
    if not _takes_uploads(facts) and not by_name:
        return not_applicable("no uploaded file is taken")
    framework = _takes_uploads(facts)
    validated = any(True for _ in facts.calls_ending_with(*_VALIDATORS))
    finding: Finding | None = None
    for call in facts.calls:
        name = _stored_as(call)
        if name is None:
            continue
        # Without a framework only a function's name says that it takes an upload.
        if not framework:
            if call.function not in by_name:
                continue
            # A function is given a folder as well, which is no choice of the sender.
            name = name.pieces[-1] if name.pieces else name
        finding = finding or _judge_harmless(call, name, validated)
        flow = None if validated or _has_fixed_ending(name) else _open_flow(name, call)
        if flow is not None:
            return vulnerable(
                call.line,
                f"{flow.source.name} chooses the ending of the file that {call_name(call)} stores",
            )
    return finding or not_applicable("no uploaded file is stored")


def _judge_harmless(call: CallFact, name: Value, validated: bool) -> Finding:
    """The finding for a file stored under an ending that the sender does not choose."""
    shown = call_name(call)
    if validated:
        return safe(call.line, f"a validator looks at the file before {shown} stores it")
    if _has_fixed_ending(name):
        return safe(call.line, f"{shown} stores under an ending of the program's own")
    if name.untrusted_flows:
        source = name.untrusted_flows[0].source.name
        return safe(call.line, f"the type or the ending of {source} is checked before {shown}")
    why = f"{shown} stores under a name of the program's own"
    return judged_parts(
        call.line, [name], f"the name that {shown} stores under", why, settings=True
    )


def _upload_functions(facts: ProgramFacts) -> frozenset[str]:
    """Functions that take an upload by their name, and have a parameter for the file's name."""
    every = (node for node in ast.walk(facts.tree) if isinstance(node, ast.FunctionDef))
    return frozenset(
        item.name
        for item in every
        if "upload" in item.name.lower()
        and any("name" in argument.arg.lower() for argument in item.args.args)
    )


def _takes_uploads(facts: ProgramFacts) -> bool:
    for node in ast.walk(facts.tree):
        name = last_name(node)
        if name in _SENT:
            return True
    return any(call.receiver.untrusted_flows for call in facts.calls_ending_with(".save"))


def _stored_as(call: CallFact) -> Value | None:
    """The name under which a call stores a file, None where it stores none."""
    # These sets check the ending themselves.
    if any(path.startswith(_UPLOAD_SETS) for path in call.paths):
        return None
    if call.ends(".save"):
        return call.argument(0, "dst", "destination", "fp", "name")
    return written_file(call)


def _has_fixed_ending(name: Value) -> bool:
    """Whether the text's last part is the program's constant and has a dot: f"{name}.png"."""
    return bool(name.pieces) and any("." in text for text in name.pieces[-1].texts)


def _open_flow(name: Value, call: CallFact) -> Flow | None:
    for flow in name.untrusted_flows:
        if not any(_is_typed(check, flow) for check in call.checks):
            return flow
    return None


def _is_typed(check: Check, flow: Flow) -> bool:
    if check.alternatives:
        # Of several ways to come here each must have checked.
        return all(any(_is_typed(item, flow) for item in branch) for branch in check.alternatives)
    if check.operator in ("in", "==") and check.holds and _is_by_content(check):
        return True
    reader = _READERS.get(check.operator)
    return reader is not None and check.holds and reader(check, flow)


def _is_by_content(check: Check) -> bool:
    sides = (check.left, check.right)
    paths = [
        path
        for side in sides
        for path in (*side.paths, *(s for flow in side.flows for s in flow.through))
    ]
    return any(path.startswith(_BY_CONTENT) for path in paths)


def _is_name(value: Value, flow: Flow) -> bool:
    """Whether it is the name or its ending, and not what the sender says of the content."""
    return any(
        item.source == flow.source and not item.through & _SAID_BY_SENDER for item in value.flows
    )


def _is_listed(check: Check, flow: Flow) -> bool:
    return _is_name(check.left, flow) and not check.right.untrusted_flows and not check.right.texts


def _equal(check: Check, flow: Flow) -> bool:
    # `name == ""` only looks whether a file was chosen.
    return _is_name(check.left, flow) and bool(check.right.texts) and "" not in check.right.texts


def _checks_ending(check: Check, flow: Flow) -> bool:
    """name.endswith((".png", ...)), or a match of the whole name with an ending."""
    methods = {path.rpartition(".")[2] for path in check.name}
    arguments = check.right.items or ()
    if "endswith" in methods:
        return _is_name(check.left, flow) and bool(arguments) and not arguments[0].untrusted_flows
    if not methods & {"match", "fullmatch", "search"} or not any(
        _is_name(argument, flow) for argument in arguments
    ):
        return False
    patterns = (arguments[0] if len(arguments) > 1 else check.left).texts
    whole = "fullmatch" in methods
    return bool(patterns) and all(
        # An ending is checked only by a pattern with a dot that reaches the end of the name.
        "\\." in pattern and (whole or pattern.endswith(("$", "\\Z")))
        for pattern in patterns
    )


_READERS: dict[str, Callable[[Check, Flow], bool]] = {
    "in": _is_listed,
    "==": _equal,
    "call": _checks_ending,
}


_VIEW = """import os
from flask import Flask, request
from werkzeug.utils import secure_filename
app = Flask(__name__)

@app.post('/upload')
def upload():
    f = request.files['f']
"""
_STORED = "    f.save(os.path.join('static', secure_filename(f.filename)))\n"
_CHECKED = "    if not f.filename.endswith(('.png', '.jpg')):\n        return 'images only', 415\n"

PLUGIN = Detector(
    title="any type of file is stored",
    cwes=("CWE-434",),
    judge=_judge,
    examples=(
        DetectorExample("any type under its own name", _VIEW + _STORED, Verdict.VULNERABLE),
        DetectorExample("an ending of the list", _VIEW + _CHECKED + _STORED, Verdict.SAFE),
        DetectorExample(
            "a name of its own", _VIEW + "    f.save('static/logo.png')\n", Verdict.SAFE
        ),
        DetectorExample(
            "a function that is given an upload",
            "import os\n\ndef save_upload(filename, content, folder):\n"
            "    open(os.path.join(folder, filename), 'wb').write(content)\n",
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "only read", _VIEW + "    return str(len(f.read()))\n", Verdict.NOT_APPLICABLE
        ),
    ),
)
