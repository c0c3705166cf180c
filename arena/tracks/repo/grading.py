"""Grade predictions: many patches, no agent, results in the order of the predictions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial

from arena.tracks.passing import graded
from arena.tracks.pool import each
from arena.tracks.repo.predictions import Prediction
from arena.tracks.repo.track import RepoTrack
from harness.grade.grader import INFRA, infra
from harness.grade.verdict import Verdict


def grade_predictions(
    track: RepoTrack,
    predictions: Sequence[Prediction],
    workers: int,
    show: Callable[[Prediction, Verdict], None],
) -> None:
    """Grade each; `show` is called once for each, in order, as soon as all before it are done."""
    finished: dict[int, Verdict] = {}
    lock = threading.Lock()
    shown = 0

    def one(number: int) -> None:
        nonlocal shown
        prediction = predictions[number]
        task = track.pack.task(prediction.instance_id)
        try:
            verdict = graded(partial(track.grader.graded, task, prediction.patch))
        except INFRA as fault:
            verdict = infra(fault)
        with lock:
            finished[number] = verdict
            while shown in finished:
                show(predictions[shown], finished.pop(shown))
                shown += 1

    each(range(len(predictions)), one, workers)
