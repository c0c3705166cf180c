"""One verdict of several detectors: by any of them, by all, or by the tools in place of ours."""

from __future__ import annotations

from collections.abc import Mapping

from arena.tracks.exposure.detect._detector import Verdict
from arena.tracks.exposure.tools._panel import BUILTIN, UNSCANNED, Opinion

ANY, ALL, REPLACE = "any", "all", "replace"
JOINS = (ANY, ALL, REPLACE)


def join(opinions: Mapping[str, Opinion], how: str) -> Opinion:
    """What detectors say together of one program.

    invalid is ours alone to say. any: vulnerable if one says so; all: if every one that could look says so;
    replace: as any, among the tools alone. Where none says so it is what our own detector says, if it takes
    part and does not say vulnerable, else safe; unscanned where nobody could look.
    """
    ours = opinions[BUILTIN]
    if ours.verdict == Verdict.INVALID:
        return ours
    asked = {name: one for name, one in opinions.items() if name != BUILTIN or how != REPLACE}
    able = {name: one for name, one in asked.items() if one.verdict != UNSCANNED}
    blind = [f"{name}: unscanned: {one.why}" for name, one in asked.items() if name not in able]
    if not able:
        return Opinion(UNSCANNED, 0, "; ".join(blind))
    guilty = [name for name, one in able.items() if one.verdict == Verdict.VULNERABLE]
    if len(guilty) >= (len(able) if how == ALL else 1):
        return _joined_opinion(Verdict.VULNERABLE, guilty[0], able[guilty[0]], blind)
    clearing = next(name for name in able if name not in guilty)
    return _joined_opinion(able[clearing].verdict, clearing, able[clearing], blind)


def _joined_opinion(verdict: str, name: str, one: Opinion, blind: list[str]) -> Opinion:
    return Opinion(verdict, one.line, "; ".join([f"{name}: {one.why}", *blind]))
