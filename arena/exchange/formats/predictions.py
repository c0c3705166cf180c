"""SWE-bench predictions (`instance_id`, `model_name_or_path`, `model_patch`) as JSON lines.

A file if all attempts have the same agent, model, prompt and replicate; else a folder with a file for each.
Attempts that left no patch to be graded (an infrastructure fault) are not in it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arena.exchange.groups import GroupFiles, file_name
from arena.exchange.source import Say, Source, WrittenFile
from arena.exchange.writing import empty_folder
from arena.store.model import Attempt

SUFFIX = ".jsonl"


def write(source: Source, out: Path, say: Say) -> None:
    groups = {_group(attempt) for attempt in source.attempts()}
    if not groups:
        raise ValueError(f"run {source.run.id}: no attempt to export")
    # One file has one answer for each task: replicates in it would be taken for one another.
    single = len(groups) == 1
    if single and out.is_dir():
        raise ValueError(f"{out}: is a folder; name a file in --out")
    if not single and out.is_file():
        raise ValueError(f"{out}: is a file; {len(groups)} files are to be written: name a folder")
    if not single:
        empty_folder(out)  # files of an earlier export would be graded with these
    left_out = 0
    with GroupFiles(out) as files:
        for attempt in source.attempts():
            if attempt.patch is None:
                left_out += 1
                continue
            target = out if single else out / (file_name(*_group(attempt)) + SUFFIX)
            files.file(target).write(json.dumps(_prediction(source, attempt)) + "\n")
        for path in files.list_paths():
            say(f"written: {path}")
    if left_out:
        say(f"{left_out} attempts left no patch and are not in it")


def _group(attempt: Attempt) -> tuple[str, str]:
    return attempt.column, str(attempt.key.replicate)


def _prediction(source: Source, attempt: Attempt) -> dict[str, Any]:
    """The prediction of an attempt; bytes that are no UTF-8 become lone surrogates, as `arena grade` expects.

    `provenance` is no field of SWE-bench, whose harness and ours read the three standard fields by name.
    """
    patch = source.store.blob(attempt.patch or "")
    return {
        "instance_id": attempt.key.task,
        "model_name_or_path": attempt.column,
        "model_patch": patch.decode("utf-8", "surrogateescape"),
        "provenance": attempt.provenance.to_json(),
    }


PLUGIN = WrittenFile(
    "predictions", "SWE-bench predictions, a file for each column and replicate.", write
)
