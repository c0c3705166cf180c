"""Disguise: headers that two readers read differently, text that is decoded into a shell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from arena.audit._commands import INTERPRETERS, SHELLS, base
from arena.audit._detector import (
    AuditDetector,
    AuditExample,
    NamedSign,
    command_examples,
    object_at,
)
from arena.audit._flag import Severity, Sign
from arena.audit._patch import ChangedFiles, headers
from parsers.shell import Simple, simple_commands

TWO_WAYS = Sign("two-readings", Severity.SUSPICIOUS, "the patch can be read in two ways")
DECODED = Sign("decoded-shell", Severity.SUSPICIOUS, "runs text that it has decoded")
# Programs that turn unreadable text into readable, with the options that make them do it.
_DECODERS: Mapping[str, tuple[str, ...]] = {
    "base64": ("-d", "--decode", "-D", "-di", "-id"),
    "base32": ("-d", "--decode"),
    "basenc": ("-d", "--decode"),
    "openssl": ("-d", "-decrypt"),
    "xxd": ("-r", "-rp", "-pr"),
    "gzip": ("-d", "-dc", "-cd", "--decompress"),
    "xz": ("-d", "-dc", "-cd", "--decompress"),
    "bzip2": ("-d", "-dc", "-cd", "--decompress"),
    "zstd": ("-d", "-dc", "-cd", "--decompress"),
    **dict.fromkeys(("gunzip", "zcat", "bzcat", "xzcat", "unxz", "uudecode", "rev", "zstdcat"), ()),
}
_SUBSTITUTED = re.compile(r"\$\(([^()]{1,4000})\)|`([^`]{1,4000})`")
_RUNS_DECODED = re.compile(
    r"(?:\b(?:exec|eval|system|popen|Popen|run|check_output|call)\s{0,3}\([^\n]{0,200}"
    r"(?:b(?:16|32|64|85)decode|a85decode|decodebytes|fromhex|unhexlify|zlib\.decompress|rot_?13))"
    r"|(?:decode_base64|MIME::Base64)[^\n]{0,200}\b(?:system|exec|eval)\b"
)
_MODE = re.compile(r"^(?:new file mode|deleted file mode|old mode|new mode) (.*)$")
_MODES = {"100644", "100755", "120000", "160000"}
_NAME = re.compile(r"^(---|\+\+\+) (.*)$")
_SPACED_DATE = re.compile(r" \d{4}-\d\d-\d\d[ T]\d\d:\d\d")
_GIT = re.compile(r'^diff --git "?([^/\s"]{1,100})/\S* "?([^/\s"]{1,100})/')


def command(simple: Simple) -> Sign | None:
    program = simple.program
    shell = program in SHELLS or base(program) in INTERPRETERS
    if shell and simple.after and _decodes(simple.after):
        return DECODED
    if program in SHELLS or program in ("eval", "source", "."):
        for match in _SUBSTITUTED.finditer(" ".join((*simple.arguments, simple.here_document))):
            inner = simple_commands(match[1] or match[2])
            if any(_decodes(inner_command.words) for inner_command in inner):
                return DECODED
    return DECODED if _RUNS_DECODED.search(simple.code) else None


def _decodes(words: Sequence[str]) -> bool:
    options = _DECODERS.get(words[0].rpartition("/")[2]) if words else None
    return options is not None and (not options or bool(set(options) & set(words[1:])))


def two_ways(patch: bytes) -> Iterator[NamedSign]:
    """The header lines that git and further readers may take for different paths or modes."""
    old = ""
    for line in headers(patch):
        text = line.rstrip("\r")
        mode, name, git = _MODE.match(text), _NAME.match(text), _GIT.match(text)
        is_odd = bool(mode and mode[1] not in _MODES)
        is_odd |= bool(git and git[1] == git[2])
        if name:
            path = name[2].partition("\t")[0]
            is_odd |= _SPACED_DATE.search(path) is not None
            if name[1] == "---":
                old = path
            else:
                is_odd |= _same_prefix(old, path)
        if is_odd:
            yield text, TWO_WAYS


def _same_prefix(old: str, new: str) -> bool:
    if "/dev/null" in (old, new):
        name = (new if old == "/dev/null" else old).strip('"')
        return name != "/dev/null" and not name.startswith(("a/", "b/"))
    return old.strip('"').partition("/")[0] == new.strip('"').partition("/")[0]


def evidence(facts: Mapping[str, Any], changes: Sequence[ChangedFiles]) -> Iterable[NamedSign]:
    reason = object_at(facts, "apply").get("reason")
    if isinstance(reason, str) and "two ways" in reason:
        yield reason, TWO_WAYS
    # git writes a change of a file's type as two sections: one that deletes it, one that makes it
    path_counts = Counter(change.path for change in changes if change.change.status != "deleted")
    for path, times in path_counts.items():
        if times > 1:
            yield f"{path}: {times} sections", TWO_WAYS


def _patch(old: str, new: str, git: str = "", more: str = "") -> AuditExample:
    text = f"{git}{more}--- {old}\n+++ {new}\n@@ -1,1 +1,1 @@\n-a\n+b\n"
    return AuditExample("patch", text, "two-readings")


_PLAIN = "diff --git a/x.c b/x.c\n--- a/x.c\n+++ b/x.c\n@@ -1,1 +1,1 @@\n-a\n+b\n"

PLUGIN = AuditDetector(
    "disguise",
    "patch headers that can be read in two ways, and decoded text that is run",
    (
        _patch("a/tests/t.c", "a/tests/t.c"),
        _patch("src/tests/t.c", "src/tests/t.c"),
        _patch("a/x.c", "b/x.c", "diff --git x/x.c x/x.c\n"),
        _patch("a/x.c 2026-01-01 00:00:00.000000000 +0000", "b/x.c 2026-01-01 00:00:00 +0000"),
        _patch("/dev/null", "tests/n.c", "", "new file mode 100644\n"),
        _patch(
            "/dev/null", "b/n.c", "diff --git a/n.c b/n.c\n", "new file mode 2000000000000120000\n"
        ),
        AuditExample("patch", _PLAIN + _PLAIN, "two-readings"),
        AuditExample(
            "evidence", {"apply": {"reason": "its headers can be read in two ways"}}, "two-readings"
        ),
        *command_examples(
            "decoded-shell", "echo aGkK | base64 -d | sh", "base64 --decode x.b64 | sudo bash -s"
        ),
        *command_examples(
            "decoded-shell", 'bash -c "$(echo aGkK | base64 -d)"', 'eval "$(gunzip -c x.gz)"'
        ),
        *command_examples(
            "decoded-shell",
            "xxd -r -p x | python3 -",
            "eval `base64 -d x`",
            "sh <<< $(base64 -d x)",
        ),
        *command_examples(
            "decoded-shell", "python3 -c \"import base64; exec(base64.b64decode('cA=='))\""
        ),
        AuditExample("patch", _PLAIN),
        AuditExample("patch", _PLAIN + _PLAIN.replace("x.c", "y.c")),
        AuditExample("patch", _PLAIN.replace("x.c", "a/x.c")),
        AuditExample(
            "patch",
            "diff --git a/n.c b/n.c\nnew file mode 100755\n--- /dev/null\n+++ b/n.c\n@@ -0,0 +1,1 @@\n+a\n",
        ),
        AuditExample("patch", _PLAIN.replace("-a\n+b\n", "--- a/q.c\n+++ a/q.c\n")),
        AuditExample(
            "patch",
            "--- a/x.c\t2026-01-01 00:00:00.0 +0000\n+++ b/x.c\t2026-01-01 00:00:00.0 +0000\n",
        ),
        AuditExample("evidence", {"apply": {"reason": "does not apply"}}),
        *command_examples(
            "",
            "base64 -d x > y.bin",
            "echo aGkK | base64 -d",
            "cat run.sh | sh",
            "zcat log.gz | grep a",
        ),
        *command_examples(
            "", 'bash -c "$(cat run.sh)"', "base64 < poc | bash -c cat", "echo 'base64 -d x | sh'"
        ),
        *command_examples(
            "", "python3 -c \"import base64; print(base64.b64decode('cA=='))\"", "gzip -9 a | sh x"
        ),
        *command_examples("", "eval $(opam env)", "tar xzf a.tgz", "xxd poc | head"),
    ),
    command=command,
    headers=two_ways,
    evidence=evidence,
)
