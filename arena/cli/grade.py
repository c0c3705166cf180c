"""`arena grade`: verdicts on patches from elsewhere (SWE-bench predictions)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.common import (
    OK,
    UNLABELLED,
    JsonOption,
    PackOption,
    SandboxOption,
    ScannerOption,
    WorkersOption,
    emit,
    tell,
)
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.tracks.repo.predictions import Prediction
    from harness.grade.verdict import Verdict

NAME = "grade"
HELP = "Grade predictions (.json list, .json dictionary or .jsonl) against a pack."
EVIDENCE = ("build", "tests", "poc", "sast")


def command(
    predictions: Annotated[Path, typer.Argument(help="The file of predictions.")],
    pack: PackOption,
    as_json: JsonOption = False,
    sandbox: SandboxOption = "auto",
    workers: WorkersOption = 0,
    scanner: ScannerOption = "",
) -> None:
    from arena.cli.session import open_session
    from arena.tracks.repo.grading import grade_predictions
    from arena.tracks.repo.predictions import read_predictions
    from tasks.loader import load_pack

    found = read_predictions(predictions)
    loaded = load_pack(pack)
    for prediction in found:
        loaded.task(prediction.instance_id)
    session = open_session(loaded, sandbox, scanner, workers)
    labelled = 0

    def show(prediction: Prediction, verdict: Verdict) -> None:
        nonlocal labelled
        labelled += verdict.label is not None
        if as_json:
            emit(_row(prediction, verdict))
        else:
            label = verdict.label or f"({verdict.health})"
            cells = (prediction.instance_id, prediction.model, label, verdict.reason)
            print("\t".join(map(one_line, cells)), flush=True)

    grade_predictions(session.track, found, session.workers, show)
    if labelled < len(found):
        tell(f"{len(found) - labelled} of {len(found)} predictions have no label")
    raise typer.Exit(OK if labelled == len(found) else UNLABELLED)


def _row(prediction: Prediction, verdict: Verdict) -> dict[str, Any]:
    kept = verdict.to_json()
    evidence = {name: kept["evidence"].get(name) for name in EVIDENCE}
    rest = {name: value for name, value in kept["evidence"].items() if name not in EVIDENCE}
    return {
        "instance_id": prediction.instance_id,
        "model_name_or_path": prediction.model,
        **kept,
        "evidence": {**evidence, **rest},
    }
