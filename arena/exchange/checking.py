"""Plain values of a file -> a manifest, the facts of a task, an attempt; a ValueError names the field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.exchange.whole import (
    ATTEMPTS,
    FORM,
    READABLE,
    RUN_FIELDS,
    TASKS,
    VERSION,
    is_digest,
)
from arena.store.model import (
    RESULT_FIELDS,
    Attempt,
    AttemptKey,
    TaskFacts,
    attempt_id,
    expect_run_id,
)
from arena.store.provenance import FACTS as PROVENANCE
from arena.store.provenance import MAX_TEXT, Provenance
from arena.store.tables import clean
from harness.grade.verdict import Health

Kind = type | tuple[type, ...]

NUMBER = (int, float)
NONE = type(None)
# Counts stay below it; tokens may be more.
MAX_COUNT = 1 << 31

RUN: Mapping[str, Kind] = {
    "id": str,
    "pack": str,
    "track": str,
    "created": NUMBER,
    "settings": dict,
    "spent_seconds": NUMBER,
}
FACTS: Mapping[str, Kind] = {
    **dict.fromkeys(
        ("task", "title", "language", "project", "domain", "instruction", "image"), str
    ),
    "cwes": list,
    "details": dict,
}
ATTEMPT: Mapping[str, Kind] = {
    **dict.fromkeys(("attempt", "run", "task", "agent", "model", "prompt"), str),
    **dict.fromkeys(("health", "reason", "ended", "node"), str),
    **dict.fromkeys(("replicate", "tokens", "tries"), int),
    **dict.fromkeys(("seconds", "usd"), NUMBER),
    **dict.fromkeys(("score", "finished"), (*NUMBER, NONE)),
    **dict.fromkeys(("label", "patch", "trajectory"), (str, NONE)),
    **dict.fromkeys(("usage", "evidence", "provenance"), dict),
    **dict.fromkeys(("flags", "found"), list),
}
KEY = ("task", "agent", "model", "prompt", "replicate")
HEALTHS = ("", *Health)
# Characters that a label may have.
LABEL = 40


def manifest_from(value: Any) -> dict[str, Any]:
    """A manifest of this form. Raises ValueError."""
    if not isinstance(value, dict) or value.get("form") != FORM:
        raise ValueError("form: not a run's file")
    version = value.get("version")
    # A field of a later version might change what the others mean.
    if version not in READABLE:
        newer = isinstance(version, int) and version > VERSION
        raise ValueError(
            f"version: {version!r} is {'newer than' if newer else 'not'} {VERSION}, which is known here"
        )
    run = check_fields(value.get("run"), RUN, "run")
    expect_run_id(run["id"])
    counts = check_fields(
        value.get("counts"), dict.fromkeys(("tasks", "attempts", "artefacts"), int), "counts"
    )
    sums = check_fields(value.get("sha256"), dict.fromkeys((ATTEMPTS, TASKS), str), "sha256")
    missing = value.get("missing")
    if not isinstance(missing, list) or not all(map(is_digest, missing)):
        raise ValueError("missing: not a list of digests")
    return {"run": run, "counts": counts, "sha256": sums, "missing": missing}


assert set(RUN) == set(RUN_FIELDS)  # noqa: S101 - two lists of the same fields


def facts_from(value: Any) -> TaskFacts:
    """Raises ValueError."""
    candidate = (
        {"details": {}, **value} if isinstance(value, dict) else value
    )  # of before there were any
    facts_checked = check_fields(candidate, FACTS)
    return TaskFacts(**{**facts_checked, "cwes": tuple(texts(facts_checked["cwes"], "cwes"))})


def attempt_from(value: Any) -> Attempt:
    """An attempt whose id is that of its run and key, and whose artefacts have digests. Raises ValueError."""
    candidate = {"provenance": {}, **value} if isinstance(value, dict) else value  # of version 1
    checked = check_fields(candidate, ATTEMPT)
    key = AttemptKey(*(checked[name] for name in KEY))
    # A false id could take the place of another attempt.
    if checked["attempt"] != attempt_id(checked["run"], key):
        raise ValueError(f"attempt: {checked['attempt'][:40]!r} is not the id of its run and key")
    if checked["health"] not in HEALTHS:
        raise ValueError(f"health: {checked['health'][:40]!r} is unknown")
    _expect_label(checked["label"], checked["health"])
    if checked["score"] is not None and checked["score"] > 1:
        raise ValueError(f"score: {checked['score']} is not between 0 and 1")
    for name in ("flags", "found"):
        checked[name] = texts(checked[name], name)
    checked["provenance"] = _provenance_from(checked["provenance"])
    attempt = Attempt(
        checked["attempt"],
        checked["run"],
        key,
        **{field: checked[name] for name, field in RESULT_FIELDS.items()},
    )
    _expect_artefacts(attempt)
    return attempt


def _provenance_from(value: dict[str, Any]) -> Provenance:
    """Raises ValueError for what is no fact, or is no text of a length that facts may have."""
    if unknown := value.keys() - {fact.name for fact in PROVENANCE}:
        raise ValueError(f"provenance.{min(unknown)[:40]}: unknown field")
    for name, text in value.items():
        if not isinstance(text, str) or len(text) > MAX_TEXT or clean(text) != text:
            raise ValueError(f"provenance.{name}: not a text of up to {MAX_TEXT} characters")
    return Provenance.from_json(value)


def _expect_label(label: str | None, health: str) -> None:
    """Raise ValueError unless the label is printable and short, and present exactly where health is ok.

    A label of a different version may be unknown here.

    """
    if label is None and health == Health.OK:
        raise ValueError("label: missing where health is 'ok'")
    if label is not None and health != Health.OK:
        raise ValueError(f"label: {label[:LABEL]!r} where health is {health!r}")
    if label is not None and not (label.isprintable() and 0 < len(label) <= LABEL):
        raise ValueError(f"label: {label[:LABEL]!r} is none")


def _expect_artefacts(attempt: Attempt) -> None:
    """Raise ValueError for a text that is no digest, since it becomes a path below the store."""
    named = attempt.evidence.get("artefacts", {})
    if not isinstance(named, dict) or not all(isinstance(d, str) for d in named.values()):
        raise ValueError("evidence.artefacts: not names with digests")
    for name, digest in attempt.artefacts().items():
        if not is_digest(digest):
            raise ValueError(f"artefact {name[:40]!r}: {digest[:80]!r} is no digest")


def check_fields(value: Any, fields: Mapping[str, Kind], where: str = "") -> dict[str, Any]:
    """An object with these fields and no others, each of its kind. Raises ValueError."""
    prefix = f"{where}." if where else ""
    if not isinstance(value, dict):
        raise ValueError(f"{where or 'the line'}: not an object")
    # What is not known would be lost unsaid, and the import would not be the same run.
    if unknown := value.keys() - fields.keys():
        raise ValueError(f"{prefix}{min(unknown)[:40]}: unknown field")
    for name, kind in fields.items():
        if name not in value:
            raise ValueError(f"{prefix}{name}: missing")
        if reason := _unfit(name, value[name], kind):
            raise ValueError(f"{prefix}{name}: {reason}")
    return {name: clean(item) if isinstance(item, str) else item for name, item in value.items()}


def _unfit(name: str, value: Any, kind: Kind) -> str:
    # To Python a bool is an int.
    if not isinstance(value, kind) or isinstance(value, bool):
        return "is of the wrong kind"
    # `clean` would change the key and with it the id.
    if name in KEY and isinstance(value, str) and clean(value) != value:
        return "holds what is no text"
    if isinstance(value, int | float) and not 0 <= value < (
        1 << 62 if name == "tokens" else LARGEST
    ):
        return "is out of range"
    if name in MOMENTS and isinstance(value, int | float) and value > LATEST:
        return "is out of range"
    if isinstance(value, int) and kind is int and name != "tokens" and value >= MAX_COUNT:
        return "is out of range"
    return ""


LARGEST = 1e15
MOMENTS = ("created", "finished")
# The last second of the year 9999: no calendar has a later one.
LATEST = 253_402_300_799


def texts(value: list[Any], name: str) -> list[str]:
    """The list, if it has only texts. Raises ValueError otherwise."""
    if not all(isinstance(item, str) for item in value):
        raise ValueError(f"{name}: not a list of texts")
    return value
