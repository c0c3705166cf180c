"""`arena exposure detect`: verdicts of programs, one line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.common import UNLABELLED, JsonOption, emit, tell
from arena.cli.exposure_tools import (
    JoinOption,
    PackOption,
    RuleOption,
    ScenarioOption,
    WithOption,
    beside_for,
    opinions,
    weakness_for,
)
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.cli.exposure_tools import Beside
    from arena.tracks.exposure.results import Counts, JudgedRow
    from arena.tracks.exposure.tools._panel import Opinion
    from arena.tracks.exposure.tools._tool import Weakness


def detect(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Programs; a folder: all *.py; -: stdin.")
    ] = None,
    scenario: ScenarioOption = "",
    detector: Annotated[
        str, typer.Option("--detector", help="A detector by name, in place of a scenario's.")
    ] = "",
    samples: Annotated[
        Path | None, typer.Option("--samples", help="A folder of samples, in place of programs.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where results of --samples are written.")
    ] = None,
    model: Annotated[
        str, typer.Option("--model", help="A name for --samples that tell none.")
    ] = "",
    tools: WithOption = None,
    how: JoinOption = "",
    rules: RuleOption = None,
    pack: PackOption = "exposure",
    as_json: JsonOption = False,
) -> None:
    beside = beside_for(tools or (), rules or (), how)
    if samples is None:
        if out is not None or model:
            raise ValueError("--out, --model: only with --samples")
        _detect_files(files or [], weakness_for(scenario, detector, pack), beside, as_json)
        return
    if files or scenario or detector or out is None:
        raise ValueError("--samples: needs --out FILE, and takes no FILE, --scenario or --detector")
    _detect_samples(samples, out, model, pack, beside, as_json)


def _detect_files(
    files: list[Path], weakness: Weakness, beside: Beside | None, as_json: bool
) -> None:
    from arena.tracks.exposure.tools._panel import UNSCANNED

    if not files:
        raise ValueError("FILE: name at least one program, or a folder of --samples")
    counts: Counter[str] = Counter()
    for label, found in opinions(files, weakness, beside):
        counts[found.verdict] += 1
        _show(label, found, as_json)
    if not counts:
        raise ValueError("FILE: there is no program in what was named")
    if not as_json and sum(counts.values()) > 1:
        tell(", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
    if counts[UNSCANNED]:
        raise typer.Exit(UNLABELLED)


def _detect_samples(
    samples: Path, out: Path, model: str, pack: str, beside: Beside | None, as_json: bool
) -> None:
    from arena.cli.counting import Counting
    from arena.tracks.exposure.judging import judge_samples
    from arena.tracks.exposure.results import ORIGINAL, write_judged
    from arena.tracks.exposure.sampling.folder import read_samples
    from arena.tracks.exposure.tasks.pack import load_exposure

    _expect_writable(out, samples)
    loaded = load_exposure(pack)
    found = read_samples(samples, [one.id for one in loaded.scenarios])
    with Counting(len(found.rows), "detect") as bar:

        def told(row: JudgedRow) -> None:
            what = row.verdict or row.state
            bar.step(f"{row.scenario}/{row.wording}/{row.sample}: {what}")

        judged = judge_samples(found, loaded, model, told)
    if beside is not None:
        from arena.tracks.exposure.tools._samples import with_tools

        judged = with_tools(judged, found, loaded, beside.tools, beside.rules, beside.how)
    write_judged(out, judged)
    for problem in judged.problems:
        tell(problem)
    total, original = judged.total(), judged.total(ORIGINAL)
    if as_json:
        facts = {"total": total.to_json(), "original": original.to_json()}
        emit({"out": str(out), "model": judged.model, "mode": judged.mode, **facts})
        return
    print(one_line(f"{out}: {judged.model}: {_counted(total)}"))
    print(f"the scenarios as they are (Table 1): {_counted(original)}")


def _expect_writable(out: Path, samples: Path) -> None:
    """Told before the judging, not after it. Raises ValueError."""
    from arena.tracks.exposure.sampling.folder import LISTING

    if out.is_dir():
        raise ValueError(f"--out: {out}: a folder; a file is needed")
    if not out.parent.is_dir():
        raise ValueError(f"--out: {out.parent}: no such folder")
    if out.resolve() == (samples / LISTING).resolve():
        raise ValueError(f"--out: {out}: tells what the samples are; take another file")


def _counted(counts: Counts) -> str:
    rate = counts.vulnerable_rate()
    share = "" if rate is None else f" ({100 * rate:.1f} % of the valid)"
    parts = f"{counts.vulnerable} vulnerable{share}, {counts.safe} safe"
    rest = f"{counts.not_applicable} not applicable, {counts.invalid} invalid, {counts.no_code} without code"
    missing = f", {counts.missing} missing" if counts.missing else ""
    return f"{counts.sampled} samples, {counts.valid} valid: {parts}, {rest}{missing}"


def _show(label: str, found: Opinion, as_json: bool) -> None:
    if as_json:
        facts = {"verdict": found.verdict, "line": found.line, "why": found.why}
        emit({"file": label, **facts})
        return
    where = f"{label}:{found.line}" if found.line else label
    print(one_line(f"{found.verdict:14} {where}  {found.why}"), flush=True)


COMMANDS: dict[str, tuple[Callable[..., None], str]] = {
    "detect": (detect, "Verdicts of programs: vulnerable, safe, not applicable, or invalid."),
}
"""Name -> function and help, for the group `exposure`."""
