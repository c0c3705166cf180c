"""What of a value was not followed to where it comes from, and why a value that was followed does no harm."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from arena.tracks.exposure.detect._detector import Finding, safe, unknown
from arena.tracks.exposure.detect._tainted import NOT_SEEN
from arena.tracks.exposure.flow.facts import Value
from arena.tracks.exposure.flow.sources import NO_DATA

# Names that nothing defines, parts of parameters that hold no text, attributes that nothing sets.
_UNSEEN = re.compile(r"\?.*|\$(?P<holder>\w+)\W.*|<[^>]*>(?:\(\))?\..*")
# Data of a database, of another machine, of the clipboard.
_ELSEWHERE = re.compile(
    r".*\.(?:fetch\w+|scalar\w*|first|one|one_or_none|find_one)\(\)\S*"
    r"|(?:requests|httpx|urllib3?|urllib2|aiohttp)\.(?!\S*Request\(\)$)\S*\(\)\S*|\S*pyperclip\.paste\(\)"
)
_CONSTANT = re.compile(r"[?$](?:\w+\.)*[A-Z][A-Z0-9_]*(?:\[\])*|\?__\w+__(?:\[\])*")
# What a program is set up with: constants by their names, and parts of a configuration.
_CONFIGURED = re.compile(r"\b(?:\w*config|settings|conf|cfg|constants|consts)\b", re.IGNORECASE)
_MAX_FOLLOWED = 200


def unfollowed_part(value: Value | None, settings: bool = False) -> str | None:
    """The first part of a value that was not followed to where it comes from, by name, or None.

    Untrusted data is followed: whether it does harm is the detector's question. Settings and constants by
    their names belong to the program; where `settings`, so is what the environment says.
    """
    return next(_parts(value, ("file",) if settings else ("env", "file")), None)


def _parts(value: Value | None, outside: tuple[str, ...]) -> Iterator[str]:
    waiting = [value] if value is not None else []
    for _ in range(_MAX_FOLLOWED):
        if not waiting:
            return
        item = waiting.pop(0)
        if item.pieces:
            # In front, so that the first part in the text is the one that is named.
            waiting[:0] = item.pieces
        elif not item.exact:
            yield from _unfollowed_names(item, outside)


def _unfollowed_names(value: Value, outside: tuple[str, ...]) -> Iterator[str]:
    outside_names = sorted(flow.source.name for flow in value.flows if flow.source.kind in outside)
    if outside_names:
        yield outside_names[0]
    elif not value.flows and not value.constants:
        yield from (_readable(path) for path in sorted(value.paths) if _is_unseen(path))


def _is_unseen(path: str) -> bool:
    if _CONSTANT.fullmatch(path) or _CONFIGURED.search(path):
        return False
    unseen = _UNSEEN.fullmatch(path)
    if unseen is None:
        return _ELSEWHERE.fullmatch(path) is not None
    return unseen["holder"] is None or unseen["holder"] in NO_DATA


def _readable(path: str) -> str:
    """A path as people write it: self.email, lookup()."""
    return path.lstrip("?$").replace("<", "").replace(">()", "").replace(">", "")[:80]


def judged_parts(
    line: int, parts: Iterable[Value | None], where: str, reason: str, settings: bool = False
) -> Finding:
    """The finding for a sink without untrusted data: unknown where a part was not followed, else safe."""
    part = next((name for item in parts if (name := unfollowed_part(item, settings))), None)
    if part is None:
        return safe_or_unknown(line, reason)
    return unknown(line, f"{part} is in {where}, and where that comes from {NOT_SEEN}")


def safe_or_unknown(line: int, reason: str) -> Finding:
    """safe for this reason, but unknown where it rests on what the program does not define."""
    return unknown(line, reason) if NOT_SEEN in reason else safe(line, reason)


def unfollowed_entry(value: Value) -> str | None:
    """The name of what is no constant and no number: a part not followed, or an entry of a configuration."""
    part = unfollowed_part(value)
    if part is not None or value.exact or value.flows or value.constants:
        return part
    entries = (path for path in sorted(value.paths) if path.endswith(("]", ")")))
    return next((_readable(path) for path in entries if _CONFIGURED.search(path)), None)


def first_of(findings: Iterable[Finding]) -> Finding | None:
    """The finding of highest priority: vulnerable before unknown before safe, and the first of each."""
    order = ("vulnerable", "unknown", "safe")
    all_findings = list(findings)
    return min(all_findings, key=lambda item: order.index(item.verdict), default=None)
