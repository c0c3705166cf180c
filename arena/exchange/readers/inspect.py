"""Logs of Inspect (inspect-ai 0.3.285, version 2 of its logs): `.eval`, `.json` or a folder of them.

A sample is an attempt. Its verdict is the value of its first score, with the name of the scorer; its patch is
the output if that begins as a patch, as in the logs that `arena export --to inspect` writes, or else the
`patch` in a score's metadata, as the scorer of `arena.inspect` leaves it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.exchange.atif import object_of, objects, text_of
from arena.exchange.bounded import (
    PartUnreadable,
    files_below,
    json_value,
    open_regular,
    patch_bytes,
    read_object,
    time_of,
)
from arena.exchange.chat import atif_from, content_of
from arena.exchange.columns import value_of_type
from arena.exchange.eval_log import open_members
from arena.exchange.foreign import ForeignAttempt, ForeignReader, ForeignRun
from arena.exchange.samples import LIMITS

NAME = "inspect"
VERSION = 2
ATTACHMENT = "attachment://"
PATCH_START = re.compile(r"(diff --git |--- |Index: )")
NO_MODEL = "none/none"
SNIFFED_BYTES = 4096
ENDED = {kind: ended for ended, (kind, _) in LIMITS.items()}
MAX_NUMBER = 1 << 20
# Characters of all attachments that are put back into one sample.
MAX_ATTACHED = 64 << 20


def takes(path: Path) -> bool:
    try:
        return any(True for _ in _logs(path))
    except PartUnreadable:
        return False


def _logs(path: Path) -> Iterator[Path]:
    """Raises PartUnreadable."""
    if path.is_dir():
        yield from (each for each in files_below(path, 1) if _is_log(each))
    elif _is_log(path):
        yield path


def _is_log(path: Path) -> bool:
    if path.suffix == ".eval":
        return True
    if path.suffix != ".json":
        return False
    try:
        with open_regular(path) as stream:
            head = stream.read(SNIFFED_BYTES)
    except (PartUnreadable, OSError):
        return False
    return b'"eval_id"' in head and b'"version"' in head


def read(path: Path) -> ForeignRun:
    attempts: list[ForeignAttempt] = []
    problems: list[str] = []
    packs: dict[str, None] = {}
    for log in _logs(path):
        try:
            spec = _read_log(log, attempts, problems)
        except PartUnreadable as problem:
            problems.append(str(problem))
            continue
        packs[text_of(object_of(spec.get("dataset")).get("name")) or text_of(spec.get("task"))] = (
            None
        )
    return ForeignRun(NAME, attempts, problems, " ".join(packs))


def _read_log(path: Path, attempts: list[ForeignAttempt], problems: list[str]) -> dict[str, Any]:
    if path.suffix == ".json":
        whole = read_object(path)
        spec = _spec(path, whole)
        for place, sample in enumerate(objects(whole.get("samples")), 1):
            _add(path, f"sample {place}", sample, spec, attempts, problems)
        return spec
    with open_members(path) as log:
        if log.cut:
            problems.append(f"{path}: {log.cut}: what is before it is imported")
        # The header is written last: a log that was cut has what was noted at its start.
        head = "header.json" if "header.json" in log.members else "_journal/start.json"
        spec = _spec(path, object_of(json_value(log.read(head), f"{path}: {head}")))
        for name in log.members:
            if not name.startswith("samples/"):
                continue
            try:
                sample = object_of(json_value(log.read(name), f"{path}: {name}"))
                _add(path, name, sample, spec, attempts, problems)
            except PartUnreadable as problem:
                problems.append(f"{problem}: left out")
    return spec


def _spec(path: Path, head: dict[str, Any]) -> dict[str, Any]:
    if head.get("version") != VERSION:
        raise PartUnreadable(f"{path}: version {head.get('version')!r} of a log; {VERSION} is read")
    return object_of(head.get("eval"))


def _add(
    path: Path,
    name: str,
    sample: dict[str, Any],
    spec: dict[str, Any],
    attempts: list[ForeignAttempt],
    problems: list[str],
) -> None:
    task = text_of(sample.get("id"))
    if not task:
        problems.append(f"{path}: {name[:100]}: a sample without an id: left out")
        return
    # A replicate's number must fit the store's column.
    epoch = min(max(value_of_type(sample.get("epoch"), int) or 1, 1), MAX_NUMBER)
    scores = _scores(sample, problems, f"{path}: {name[:100]}")
    model = text_of(spec.get("model"))
    model = "" if model == NO_MODEL else model
    agent = (
        text_of(spec.get("solver"))
        or text_of(object_of(sample.get("metadata")).get("agent"))
        or NAME
    )
    error, limit = object_of(sample.get("error")), object_of(sample.get("limit"))
    identity = text_of(sample.get("uuid")) or f"{text_of(spec.get('eval_id'))} {task} {epoch}"
    packages = object_of(spec.get("packages"))
    version = text_of(packages.get("inspect_ai"))
    attachments = Attachments(sample)
    messages = attachments.restore_texts(objects(sample.get("messages")))
    attempts.append(
        ForeignAttempt(
            identity=identity,
            origin=path.name,
            task=task,
            agent=agent,
            model=model,
            number=epoch - 1,
            verdict=next((f"{name}={value}" for name, value in scores.items()), ""),
            reason=_explanation(sample),
            fault=text_of(error.get("message")) if error else "",
            ended=ENDED.get(text_of(limit.get("type")), "") if limit else "finished",
            patch=_patch(sample, attachments),
            instruction=_input(attachments.restore_texts(sample.get("input"))),
            scores=scores,
            usage=_usage(sample),
            seconds=value_of_type(sample.get("total_time"), float) or 0.0,
            finished=time_of(sample.get("completed_at")),
            agent_version=f"inspect-ai {version}" if version else "",
            atif=atif_from(messages, agent=agent, version=version, model=model, session=identity),
        )
    )


def _scores(sample: dict[str, Any], problems: list[str], where: str) -> dict[str, Any]:
    scores = sample.get("scores")
    if scores is not None and not isinstance(scores, dict):
        problems.append(f"{where}: its scores are of another form")
    return {name: object_of(score).get("value") for name, score in object_of(scores).items()}


def _explanation(sample: dict[str, Any]) -> str:
    scores = object_of(sample.get("scores")).values()
    return next((text_of(object_of(score).get("explanation")) for score in scores), "")


class Attachments:
    """Texts that a log stores once and refers to; a log may refer to a long text any number of times."""

    def __init__(self, sample: dict[str, Any]) -> None:
        self._texts = object_of(sample.get("attachments"))
        self._left = MAX_ATTACHED

    def restore_texts(self, value: Any) -> Any:
        """The value with its texts restored, within the limit of characters."""
        if isinstance(value, str) and value.startswith(ATTACHMENT):
            text = text_of(self._texts.get(value.removeprefix(ATTACHMENT), value))
            # A text of megabytes that is referred to a thousand times would fill the memory.
            if len(text) > self._left:
                return value
            self._left -= len(text)
            return text
        if isinstance(value, dict):
            return {name: self.restore_texts(each) for name, each in value.items()}
        return [self.restore_texts(each) for each in value] if isinstance(value, list) else value


def _input(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(content_of(message) for message in objects(value))
    return text_of(value)


def _patch(sample: dict[str, Any], attachments: Attachments) -> bytes | None:
    choices = objects(object_of(sample.get("output")).get("choices"))
    message = object_of(choices[0].get("message")) if choices else {}
    output = content_of(attachments.restore_texts(message))
    # At its very start: an answer that only quotes a diff is none.
    if PATCH_START.match(output):
        return patch_bytes(output)
    scores = object_of(sample.get("scores")).values()
    patches = [object_of(object_of(score).get("metadata")).get("patch") for score in scores]
    return next((patch_bytes(patch) for patch in patches if isinstance(patch, str)), None)


def _usage(sample: dict[str, Any]) -> dict[str, Any]:
    """Sums over models; Inspect counts input beside the provider's cache, the ledger all of it."""
    usages = [object_of(each) for each in object_of(sample.get("model_usage")).values()]
    if not usages:
        return {}

    def total(name: str, kind: type = int) -> Any:
        return sum(value_of_type(usage.get(name), kind) or 0 for usage in usages)

    cached, written = total("input_tokens_cache_read"), total("input_tokens_cache_write")
    return {
        "calls": value_of_type(sample.get("turn_count"), int) or 0,
        "input_tokens": total("input_tokens") + cached + written,
        "output_tokens": total("output_tokens"),
        "cached_tokens": cached,
        "written_tokens": written,
        "reasoning_tokens": total("reasoning_tokens"),
        "usd": total("total_cost", float),
    }


PLUGIN = ForeignReader(
    NAME, "Logs of Inspect (.eval, .json), one or a folder of them.", takes, read
)
