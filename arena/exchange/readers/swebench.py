"""Runs of SWE-bench's harness (swebench 5.0.2): predictions, and a report for each instance.

Its files, below the folder that is named:

    *.json, *.jsonl                                          predictions
    MODEL.RUN.json                                           the summary of a run: ids by outcome
    [logs/run_evaluation/]RUN/MODEL/INSTANCE/report.json     `resolved`, and why not
    [logs/run_evaluation/]RUN/MODEL/INSTANCE/patch.diff      what was graded

In names of folders and files `/` of a model is `__`. Where a report and a summary disagree there are two
verdicts. Where the harness itself says that the machine failed, or an instance has an error, it is a fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.exchange.atif import object_of, objects, text_of
from arena.exchange.bounded import (
    MAX_JSON_BYTES,
    MAX_PATCH_BYTES,
    PartUnreadable,
    files_below,
    json_value,
    patch_bytes,
    read_bytes,
    read_object,
)
from arena.exchange.foreign import TWO_VERDICTS, ForeignAttempt, ForeignReader, ForeignRun

NAME = "swebench"
REPORT, PATCH, LOG = "report.json", "patch.diff", "run_instance.log"
INSTANCE_FILES = (REPORT, PATCH, LOG)
INFRA_FAILURE = "infra_failure"
OUTCOMES = ("resolved", "unresolved", "empty_patch", "error", INFRA_FAILURE)
RESOLVED = "resolved_ids"
SUMMARY_VERSIONS = (1, 2)
MAX_SUMMARY_BYTES = 16 << 20


@dataclass
class Instance:
    """The records of an instance by the same model in the same run."""

    task: str
    model: str
    run: str = ""
    folder: Path | None = None
    patch: bytes | None = None
    outcomes: list[str] = field(default_factory=list)


def takes(path: Path) -> bool:
    try:
        if path.is_dir():
            return any(_is_instance(file) or _is_summary(file) for file in files_below(path, 6))
        return _is_summary(path)
    except PartUnreadable:
        return False


def _is_instance(file: Path) -> bool:
    """Whether the file is the report of an instance: it then lists the instance by the folder's name."""
    if file.name != REPORT:
        return False
    try:
        # Many programs write a `report.json`.
        return file.parent.name in read_object(file)
    except PartUnreadable:
        return False


def _is_summary(file: Path) -> bool:
    if file.suffix != ".json" or file.name in INSTANCE_FILES:
        return False
    try:
        return f'"{RESOLVED}"'.encode() in read_bytes(file, MAX_SUMMARY_BYTES)
    except PartUnreadable:
        return False


def read(path: Path) -> ForeignRun:
    problems: list[str] = []
    instances: dict[tuple[str, str, str], Instance] = {}
    top = path if path.is_dir() else path.parent
    files = list(files_below(path, 6)) if path.is_dir() else [path]
    for file in files:
        if file.name in INSTANCE_FILES and len(file.relative_to(top).parts) >= 2:
            _add_folder(file, instances, problems)
    predictions: dict[tuple[str, str], tuple[str, bytes]] = {}
    for file in files:
        if (
            file.parent == top
            and file.suffix in (".json", ".jsonl")
            and file.name not in INSTANCE_FILES
        ):
            _add_file(file, instances, predictions, problems)
    _add_predictions(instances, predictions)
    runs = {instance.run for instance in instances.values()}
    attempts = [_attempt(instance, len(runs) > 1) for instance in instances.values()]
    return ForeignRun(NAME, attempts, problems)


def _add_folder(
    file: Path, instances: dict[tuple[str, str, str], Instance], problems: list[str]
) -> None:
    """Read a file of RUN/MODEL/INSTANCE."""
    folder = file.parent
    run, model = folder.parent.parent.name, folder.parent.name
    instance = instances.setdefault(
        (run, model, folder.name), Instance(folder.name, model.replace("__", "/"), run)
    )
    instance.folder = folder
    try:
        if file.name == PATCH:
            instance.patch = read_bytes(file, MAX_PATCH_BYTES)
        elif file.name == REPORT:
            instance.outcomes.append(_outcome(file, folder.name))
    except PartUnreadable as problem:
        problems.append(str(problem))


def _outcome(file: Path, task: str) -> str:
    report = read_object(file).get(task)
    if not isinstance(report, dict) or not isinstance(report.get("resolved"), bool):
        raise PartUnreadable(f"{file}: says nothing of {task[:100]!r}")
    if report.get("infra_failure") is True:
        return INFRA_FAILURE
    return "resolved" if report["resolved"] else "unresolved"


def _add_file(
    file: Path,
    instances: dict[tuple[str, str, str], Instance],
    predictions: dict[tuple[str, str], tuple[str, bytes]],
    problems: list[str],
) -> None:
    try:
        entries = list(_entries(file))
    except PartUnreadable as problem:
        problems.append(str(problem))
        return
    for entry in entries:
        if RESOLVED in entry:
            _add_summary(file, entry, instances, problems)
        elif (task := text_of(entry.get("instance_id"))) and "model_patch" in entry:
            model = text_of(entry.get("model_name_or_path"))
            key, patch = (
                (model.replace("/", "__"), task),
                patch_bytes(text_of(entry.get("model_patch"))),
            )
            before = predictions.setdefault(key, (model, patch))
            if before[1] != patch:
                problems.append(
                    f"{file}: {task[:100]}: two predictions of {model[:60]}: the first is taken"
                )


def _entries(file: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file: lines, a list, a dictionary by id, or a single object."""
    data = read_bytes(file, MAX_JSON_BYTES)
    if file.suffix == ".jsonl":
        for number, line in enumerate(data.split(b"\n"), 1):
            if line.strip():
                yield object_of(json_value(line, f"{file}: line {number}"))
        return
    whole = json_value(data, str(file))
    if isinstance(whole, dict) and not {RESOLVED, "instance_id"} & whole.keys():
        yield from ({"instance_id": id_, **object_of(entry)} for id_, entry in whole.items())
    else:
        yield from objects(whole if isinstance(whole, list) else [whole])


def _add_summary(
    file: Path,
    summary: dict[str, Any],
    instances: dict[tuple[str, str, str], Instance],
    problems: list[str],
) -> None:
    version = summary.get("schema_version", 1)
    if version not in SUMMARY_VERSIONS:
        problems.append(f"{file}: version {version!r} of a summary; {SUMMARY_VERSIONS[-1]} is read")
        return
    # From the right: models have dots in their names.
    model, _, run = file.name.removesuffix(".json").rpartition(".")
    outcomes: dict[str, list[str]] = {}
    for outcome in OUTCOMES:
        ids = summary.get(f"{outcome}_ids")
        for id_ in ids if isinstance(ids, list) else ():
            if isinstance(id_, str):
                outcomes.setdefault(id_, []).append(outcome)
    for task, named_under in outcomes.items():
        key = (run, model, task)
        instance = instances.setdefault(key, Instance(task, model.replace("__", "/"), run))
        if INFRA_FAILURE in named_under:  # it explains the outcome beside it
            instance.outcomes = [INFRA_FAILURE]
            continue
        instance.outcomes.extend(named_under)
        # An id under two outcomes: the summary contradicts itself.
        if len(set(named_under)) > 1:
            listed = " and ".join(dict.fromkeys(named_under))
            problems.append(f"{file}: {task[:100]}: two verdicts: {listed}")


def _add_predictions(
    instances: dict[tuple[str, str, str], Instance],
    predictions: dict[tuple[str, str], tuple[str, bytes]],
) -> None:
    """Patches and whole names of models; a prediction that was not evaluated is an attempt too."""
    evaluated = set()
    for (_, model, task), instance in instances.items():
        if (model, task) in predictions:
            instance.model, patch = predictions[model, task]
            # The patch that was graded counts more than the one that was handed in.
            instance.patch = patch if instance.patch is None else instance.patch
            evaluated.add((model, task))
    for (model, task), (name, patch) in predictions.items():
        if (model, task) not in evaluated:
            instances["", model, task] = Instance(task, name, "", None, patch)


FAULTS = {
    "error": "SWE-bench: the instance was not evaluated",
    INFRA_FAILURE: "SWE-bench: a failure of the environment",
}


def _attempt(instance: Instance, several: bool) -> ForeignAttempt:
    outcomes = list(dict.fromkeys(instance.outcomes))
    fault = next((FAULTS[outcome] for outcome in outcomes if outcome in FAULTS), "")
    verdict = TWO_VERDICTS if len(outcomes) > 1 else next(iter(outcomes), "")
    place = instance.folder.name if instance.folder else instance.task
    return ForeignAttempt(
        identity=f"{instance.run}\n{instance.model}\n{instance.task}",
        origin="/".join(filter(None, (instance.run, place))),
        task=instance.task,
        agent=f"{NAME}:{instance.run}" if several and instance.run else NAME,
        model=instance.model,
        verdict="" if fault else verdict,
        reason=" and ".join(outcomes),
        fault=fault,
        patch=instance.patch,
        scores={"outcomes": outcomes, "run": instance.run},
    )


PLUGIN = ForeignReader(
    NAME, "Runs of SWE-bench: predictions and reports of instances.", takes, read
)
