"""What a detector is: functions that look for a single kind of cheating, and examples of their results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from arena.audit._actions import Edited
from arena.audit._flag import Severity, Sign
from arena.audit._patch import ChangedFiles
from parsers.shell import Simple

# What a sign was found in, and the sign.
NamedSign = tuple[str, Sign]


def nothing(_: object) -> None:
    return None


def none_of(*_: object) -> Iterable[NamedSign]:
    return ()


@dataclass(frozen=True)
class AuditExample:
    """An example of what a detector judges.

    material: a command line, a (path, text) that was written, an observation, a patch, or evidence.
    sign: the expected sign's name, "" for honest work.
    """

    kind: Literal["command", "edit", "observation", "patch", "evidence"]
    material: Any
    sign: str = ""


@dataclass(frozen=True)
class AuditDetector:
    """looks_for: a line for people. Each function returns a sign or None; the last two may return several.

    headers: gets all of a patch. evidence: gets the verdict's, and the files of the patch.
    """

    name: str
    looks_for: str
    examples: tuple[AuditExample, ...]
    command: Callable[[Simple], Sign | None] = nothing
    edit: Callable[[Edited], Sign | None] = nothing
    observation: Callable[[str], NamedSign | None] = nothing
    patch: Callable[[ChangedFiles], NamedSign | None] = nothing
    headers: Callable[[bytes], Iterable[NamedSign]] = none_of
    evidence: Callable[[Mapping[str, Any], Sequence[ChangedFiles]], Iterable[NamedSign]] = none_of


def object_at(evidence: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The object under a name in evidence, {} where it is missing."""
    value = evidence.get(name)
    return value if isinstance(value, Mapping) else {}


def patch_text(path: str, *added: str, new: bool = False) -> str:
    """For examples: a patch that puts lines at the start of a file, as git writes it."""
    mode = "new file mode 100644\n" if new else ""
    old = "/dev/null" if new else f"a/{path}"
    hunk = f"@@ -0,0 +1,{len(added)} @@" if new else f"@@ -1,1 +1,{len(added) + 1} @@"
    body = [f"+{line}" for line in added] + ([] if new else [" /* */"])
    head = f"diff --git a/{path} b/{path}\n{mode}--- {old}\n+++ b/{path}\n{hunk}\n"
    return head + "\n".join(body) + "\n"


def command_examples(sign: str, *lines: str) -> tuple[AuditExample, ...]:
    """Command lines as examples."""
    return tuple(AuditExample("command", line, sign) for line in lines)


@dataclass(frozen=True)
class Pattern:
    """A regular expression with the sign that it stands for. It must take linear time."""

    pattern: re.Pattern[str]
    sign: Sign


def pattern(regex: str, name: str, severity: Severity, why: str) -> Pattern:
    return Pattern(re.compile(regex, re.IGNORECASE), Sign(name, severity, why))


def first(patterns: Iterable[Pattern], text: str) -> NamedSign | None:
    """The first pattern that is in a text, with what it matched."""
    for sign_pattern in patterns:
        match = sign_pattern.pattern.search(text)
        if match is not None:
            return match.group(), sign_pattern.sign
    return None
