"""The joint verdict of several detectors: by any of them, by all, or by the tools alone."""

from __future__ import annotations

from collections.abc import Mapping

from arena.tracks.exposure.detect._detector import Verdict
from arena.tracks.exposure.tools._panel import BUILTIN, UNSCANNED, Opinion

ANY, ALL, REPLACE = "any", "all", "replace"
JOINS = (ANY, ALL, REPLACE)


def join(opinions: Mapping[str, Opinion], how: str) -> Opinion:
    """The joint opinion of detectors on a program.

    invalid: only our detector decides it. any: vulnerable if any says so; all: if all that could look say so;
    replace: as any, among the tools alone. Where none says so it is the opinion of our detector, if it takes
    part and does not say vulnerable, else safe; unscanned where nobody could look.
    """
    ours = opinions[BUILTIN]
    # Tools were not given what does not compile.
    if ours.verdict == Verdict.INVALID:
        return ours
    taking_part = {
        name: opinion for name, opinion in opinions.items() if name != BUILTIN or how != REPLACE
    }
    able = {name: item for name, item in taking_part.items() if item.verdict != UNSCANNED}
    blind = [
        f"{name}: unscanned: {item.why}" for name, item in taking_part.items() if name not in able
    ]
    if not able:
        return Opinion(UNSCANNED, 0, "; ".join(blind))
    guilty = [name for name, item in able.items() if item.verdict == Verdict.VULNERABLE]
    if len(guilty) >= (len(able) if how == ALL else 1):
        return _joined_opinion(Verdict.VULNERABLE, guilty[0], able[guilty[0]], blind)
    # The first that could look: ours, where it takes part.
    clearing = next(name for name in able if name not in guilty)
    return _joined_opinion(able[clearing].verdict, clearing, able[clearing], blind)


def _joined_opinion(verdict: str, name: str, opinion: Opinion, blind: list[str]) -> Opinion:
    return Opinion(verdict, opinion.line, "; ".join([f"{name}: {opinion.why}", *blind]))
