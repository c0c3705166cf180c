"""A folder of samples before tools, and the results that come of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arena.tracks.exposure.detect._detector import Verdict
from arena.tracks.exposure.results import MAX_WHY, Judged, JudgedRow
from arena.tracks.exposure.sampling.folder import Found
from arena.tracks.exposure.sampling.listing import MAX_SHORT, WITH_CODE, Row
from arena.tracks.exposure.sampling.state import State
from arena.tracks.exposure.tasks.pack import ExposurePack
from arena.tracks.exposure.tools._joining import join
from arena.tracks.exposure.tools._panel import UNSCANNED, Examination, Opinion, examine
from arena.tracks.exposure.tools._tool import Program, Rules, Tool, Weakness


def sources_of(found: Found, pack: ExposurePack) -> Iterator[tuple[Program, bytes]]:
    """The samples that have a program, one at a time. Raises ValueError where one cannot be read."""
    looked_for = {one.id: Weakness((one.spec.cwe,), one.spec.detector) for one in pack.scenarios}
    for row in found.rows:
        if row.state in WITH_CODE:
            yield _program(row, found, looked_for[row.scenario]), found.program(row)


def _program(row: Row, found: Found, weakness: Weakness) -> Program:
    path = found.folder / row.file
    names = (row.file, path.as_posix(), path.absolute().as_posix(), path.resolve().as_posix())
    return Program(row.file, tuple(dict.fromkeys(names)), row.scenario, weakness)


def with_tools(
    judged: Judged,
    found: Found,
    pack: ExposurePack,
    tools: Mapping[str, Tool],
    added: Rules,
    how: str,
) -> Judged:
    """Our results with the tools' verdicts joined in. Raises what `examine` raises.

    A sample that nobody could look at has no verdict; it is told as missing, with the reason.
    """
    by_file = {
        row.file: Opinion(own.verdict, own.line, own.why)
        for row, own in zip(found.rows, judged.rows, strict=True)
        if own.verdict is not None
    }
    examined = examine(
        sources_of(found, pack), tools, added, lambda program, _: by_file[program.label]
    )
    told = {one.program.label: join(one.opinions, how) for one in examined.programs}
    rows = [
        _row(own, told[row.file]) if row.file in told else own
        for row, own in zip(found.rows, judged.rows, strict=True)
    ]
    return judged.model_copy(
        update={
            "rows": tuple(rows),
            "detector": f"{how} of {', '.join(examined.versions)}"[:MAX_SHORT],
            "detection": "; ".join(_versions(examined))[:MAX_SHORT],
            "problems": (*judged.problems, *(note[:MAX_SHORT] for note in examined.notes))[:1_000],
        }
    )


def _versions(examined: Examination) -> Iterator[str]:
    for name, version in examined.versions.items():
        yield f"{name}: {version}"


def _row(own: JudgedRow, said: Opinion) -> JudgedRow:
    facts = own.model_dump() | {"line": said.line, "why": said.why[:MAX_WHY]}
    if said.verdict == UNSCANNED:
        why = f"unscanned: {said.why}"[:MAX_WHY]
        return JudgedRow(**{**facts, "state": State.MISSING, "verdict": None, "why": why})
    return JudgedRow(**{**facts, "verdict": Verdict(said.verdict)})
