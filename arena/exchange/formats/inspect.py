"""Inspect's `.eval` logs, a log for each agent, model and prompt, for `inspect_ai` and its viewer.

An `.eval` file is a zip archive (package inspect-ai, 0.3.285, `inspect_ai.log`): `_journal/start.json` and
`header.json` with the specification, `samples/<id>_epoch_<n>.json`, and `summaries.json`. A sample is an
attempt, its epoch the replicate. An attempt without a label has no score and, where the machine was at
fault, an error; an attempt that has not ended is not in it.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from arena.exchange.groups import file_name
from arena.exchange.samples import limits_of, sample_of, summary_of, usage_of
from arena.exchange.source import Say, Source, WrittenFile
from arena.exchange.transcript import MAX_TIME_S
from arena.exchange.writing import empty_folder, write_output
from arena.store.model import Attempt
from arena.store.provenance import Provenance, distinct
from arena.vocabulary import Vocabulary, vocabulary_or_bare
from harness.grade.ports import digest_of

# Version of the logs' form.
FORM = 2
# What Inspect calls the model of an evaluation that asks none.
NO_MODEL = "none/none"
# Agent, model and prompt; the model's effort behind them where one was pinned.
Column = tuple[str, ...]


def write(source: Source, out: Path, say: Say) -> None:
    words = vocabulary_or_bare(source.run.track)
    columns = _columns(source)
    if not columns:
        raise ValueError(f"run {source.run.id}: no attempt to export")
    empty_folder(out)
    for column, tasks in columns.items():
        log = _Log(source, column, sorted(tasks), words)
        path = out / log.file
        with write_output(path) as stream, zipfile.ZipFile(stream, "w") as target:
            log.write(target)
        say(f"written: {path} ({len(log.summaries)} samples)")


def _columns(source: Source) -> dict[Column, set[str]]:
    """The tasks of each column."""
    values: dict[Column, set[str]] = {}
    for attempt in source.attempts():
        # Attempts are read once for each log: a log at a time is in memory and not the run.
        values.setdefault(_column(attempt), set()).add(attempt.key.task)
    return dict(sorted(values.items()))


def _column(attempt: Attempt) -> Column:
    key, effort = attempt.key, attempt.provenance.effort
    return (key.agent, key.model, key.prompt, *((effort,) if effort else ()))


def moment(seconds: float) -> str:
    """Seconds since the epoch as Inspect writes a time."""
    return datetime.fromtimestamp(min(seconds, MAX_TIME_S), UTC).isoformat(timespec="seconds")


@dataclass
class _Log:
    """The state of a log while it is written."""

    source: Source
    column: Column
    tasks: list[str]
    words: Vocabulary
    summaries: list[dict[str, Any]] = field(default_factory=list)
    good: list[bool] = field(default_factory=list)
    epochs: int = 1
    total: int = 0
    usage: dict[str, float] = field(default_factory=dict)
    rests_on: set[Provenance] = field(default_factory=set)
    finished: float = 0.0

    @property
    def id(self) -> str:
        return digest_of(self.source.run.id, *self.column)[:22]

    @property
    def model(self) -> str:
        return self.column[1] or NO_MODEL

    @property
    def task(self) -> str:
        return f"{self.source.run.track}-{Path(self.source.run.pack).name}"

    @property
    def file(self) -> str:
        """The name of a log as Inspect names its logs: time, task, id; the column is part of the task."""
        when = moment(self.source.run.created).replace(":", "-")
        # Inspect parts a log's name at underscores.
        plain = file_name(self.task, *self.column).replace("_", "-")
        return f"{when}_{plain}_{self.id}.eval"

    def write(self, target: zipfile.ZipFile) -> None:
        for attempt in self._mine():
            self.total += 1
            self.epochs = max(self.epochs, attempt.key.replicate + 1)
            if attempt.health:
                self._sample(target, attempt)
        start = {"version": FORM, "eval": self._spec(), "plan": self._plan()}
        _put(target, "_journal/start.json", start)
        _put(target, "_journal/summaries/1.json", self.summaries)
        _put(target, "summaries.json", self.summaries)
        complete = self.total == len(self.summaries)
        # An open attempt is in no log: one that calls itself complete would have lost samples.
        status = "success" if complete else "cancelled"
        ended = {"status": status, "results": self._results(), "stats": self._stats()}
        _put(target, "header.json", {**start, **ended})

    def _mine(self) -> Iterator[Attempt]:
        return (a for a in self.source.attempts() if _column(a) == self.column)

    def _sample(self, target: zipfile.ZipFile, attempt: Attempt) -> None:
        sample = sample_of(self.source, attempt, self.model, self.words)
        epoch = attempt.key.replicate + 1
        # Quoted, since a slash would make a folder in the archive.
        _put(target, f"samples/{quote(attempt.key.task, safe='')}_epoch_{epoch}.json", sample)
        self.summaries.append(summary_of(sample))
        self.rests_on.add(attempt.provenance)
        if attempt.label is not None:
            self.good.append(attempt.label in self.words.good)
        for name, value in usage_of(attempt).items():
            self.usage[name] = self.usage.get(name, 0) + value
        self.finished = max(self.finished, attempt.finished or 0.0)

    def _spec(self) -> dict[str, Any]:
        agent, _, prompt, *_ = self.column
        run = self.source.run
        description = {"run": run.id, "agent": agent, "prompt": prompt, "settings": run.settings}
        return {
            "eval_id": self.id,
            "run_id": run.id,
            "created": moment(run.created),
            "task": self.task,
            # the viewer takes logs of one task id for retries and hides all but one (inspect-ai 0.3.285)
            "task_id": digest_of(self.task, self.id)[:22],
            "task_version": 0,
            "solver": agent,
            "dataset": {
                "name": run.pack,
                "samples": len(self.tasks),
                "sample_ids": self.tasks,
                "shuffled": False,
            },
            "model": self.model,
            "config": {"epochs": self.epochs, **limits_of(run.settings)},
            "metadata": {**description, "provenance": distinct(self.rests_on)},
            "scorers": [{"name": name} for name in ("label", "good")],
        }

    def _plan(self) -> dict[str, Any]:
        return {"name": "plan", "steps": [{"solver": self.column[0], "params": {}}], "config": {}}

    def _results(self) -> dict[str, Any]:
        rate = sum(self.good) / len(self.good) if self.good else None
        metrics = {} if rate is None else {"accuracy": {"name": "accuracy", "value": rate}}
        score = {
            "name": "good",
            "scorer": "good",
            "scored_samples": len(self.good),
            "unscored_samples": self.total - len(self.good),
            "metrics": metrics,
        }
        done = {"total_samples": self.total, "completed_samples": len(self.summaries)}
        return {**done, "scores": [score]}

    def _stats(self) -> dict[str, Any]:
        created = self.source.run.created
        used = {self.model: self.usage} if self.usage else {}
        ended = moment(max(self.finished, created))
        return {"started_at": moment(created), "completed_at": ended, "model_usage": used}


def _put(target: zipfile.ZipFile, name: str, value: Any) -> None:
    member = zipfile.ZipInfo(name)
    member.compress_type = zipfile.ZIP_DEFLATED
    # A lone surrogate (a byte of output that is no UTF-8) makes Inspect refuse the whole log.
    target.writestr(member, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


PLUGIN = WrittenFile("inspect", "Inspect .eval logs, one for each agent, model and prompt.", write)
