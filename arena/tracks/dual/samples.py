"""Which programs are scored: a folder of samples, or the references of a pack."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arena.tracks.dual.languages.plan import MAX_SOURCE, Candidate
from arena.tracks.dual.results import State
from arena.tracks.dual.tasks.pack import DualPack, DualTask, language_of
from arena.tracks.dual.tasks.schema import Language

ROWS = "samples.jsonl"
MAX_ROWS = 256 << 20
MAX_NAME = 400


@dataclass(frozen=True)
class Sample:
    """One program for a task, or the lack of one: then `state` and `why` tell."""

    task: DualTask
    name: str
    language: Language
    candidate: Candidate | None = None
    state: State = State.USABLE
    why: str = ""


@dataclass(frozen=True)
class Samples:
    """name: where they came from. k: how many each task has, the fixed number. problems: lines for people."""

    name: str
    k: int
    samples: tuple[Sample, ...]
    problems: tuple[str, ...] = ()


def load_samples(
    pack: DualPack, source: str, k: int = 0, language: Language | None = None
) -> Samples:
    """`source` is a folder of `<task id>/<sample>.<py|js|cpp>`, or "reference".

    Every task of the pack has `k` samples (0: as many as the task that has most): what is missing is a sample
    in the state "missing". Of a program in a language that the task does not have, the state tells. Raises
    ValueError for a folder that holds nothing for this pack, or more samples of a task than `k`.
    """
    if source == "reference":
        return _references(pack, language)
    folder = Path(source)
    if not folder.is_dir():
        raise ValueError(f"--samples: {folder}: no such folder (or the word `reference`)")
    known = {task.id for task in pack.tasks}
    names = sorted(path.name for path in folder.iterdir() if path.is_dir())
    problems = [f"{_plain(n)}: the pack has no such task" for n in names if n not in known]
    without = _without_code(folder / ROWS)
    found: dict[str, list[Sample]] = {}
    for task in pack.tasks:
        noted = {name for name, _, _ in without.get(task.id, ())}
        programs = _of_task(task, folder / task.id, language, problems)
        found[task.id] = [sample for sample in programs if sample.name not in noted]
        found[task.id] += [
            Sample(task, name, language or task.spec.languages[0], None, state, why)
            for name, state, why in without.get(task.id, ())
        ]
    most = max(map(len, found.values()), default=0)
    if not most:
        raise ValueError(f"--samples: {folder}: holds no program of a task of this pack")
    if k and most > k:
        raise ValueError(f"--k: {k} samples a task are planned, and a task has {most}")
    k = k or most
    whole = [s for task in pack.tasks for s in _filled(task, found[task.id], k, language)]
    return Samples(str(folder), k, tuple(whole), tuple(problems))


def _references(pack: DualPack, language: Language | None) -> Samples:
    """One for each task: the solution in that language, or in the task's first."""
    samples = []
    for task in pack.tasks:
        wanted = language or task.spec.languages[0]
        path = task.references.get(wanted)
        if path is not None:
            candidate = Candidate(wanted, path.read_bytes())
            samples.append(Sample(task, "reference", wanted, candidate))
    if not samples:
        raise ValueError("--samples: the pack holds no reference solution (in that language)")
    return Samples("reference", 1, tuple(samples))


def _of_task(
    task: DualTask, folder: Path, language: Language | None, problems: list[str]
) -> list[Sample]:
    if not folder.is_dir() or folder.is_symlink():
        return []
    samples = []
    for path in sorted(folder.iterdir()):
        found = language_of(path)
        if found is None or path.is_symlink() or not path.is_file():
            suffixes = ".py, .js, .mjs, .cjs, .cpp, .cc"
            problems.append(f"{task.id}/{_plain(path.name)}: no program ({suffixes})")
        elif language in (None, found):
            samples.append(_sample(task, path, found))
    names = [sample.name for sample in samples]
    return [
        replace(s, name=f"{s.name}.{s.language}") if names.count(s.name) > 1 else s for s in samples
    ]


def _distinct(samples: Sequence[Sample]) -> list[Sample]:
    """The samples with a name of its own for each: a result tells them apart by nothing else."""
    taken: set[str] = set()
    named = []
    for sample in samples:
        name, number = sample.name, 1
        while name in taken:
            number += 1
            name = f"{sample.name} ({number})"
        taken.add(name)
        named.append(replace(sample, name=name))
    return named


def _plain(name: str) -> str:
    """A name as a result may hold it: what is not UTF-8 is written out."""
    return name.encode("utf-8", "backslashreplace").decode()[:MAX_NAME]


def _sample(task: DualTask, path: Path, language: Language) -> Sample:
    name = _plain(path.stem)
    if path.stat().st_size > MAX_SOURCE:
        why = f"longer than {MAX_SOURCE >> 20} MiB"
        return Sample(task, name, language, None, State.NO_CODE, why)
    source = path.read_bytes()
    if language not in task.spec.languages:
        wanted = ", ".join(task.spec.languages)
        why = f"it is {language}, the task is for {wanted}"
        return Sample(task, name, language, None, State.OTHER_LANGUAGE, why)
    if not source.strip():
        return Sample(task, name, language, None, State.NO_CODE, "the file is empty")
    return Sample(task, name, language, Candidate(language, source))


def _filled(
    task: DualTask, samples: Sequence[Sample], k: int, language: Language | None
) -> list[Sample]:
    wanted = language or task.spec.languages[0]
    lacking = [
        Sample(task, f"missing-{number}", wanted, None, State.MISSING)
        for number in range(k - len(samples))
    ]
    return _distinct([*samples, *lacking])


def _without_code(path: Path) -> dict[str, list[tuple[str, State, str]]]:
    """Replies that `generate` noted as holding no program as asked for, by task. Raises ValueError."""
    rows: dict[str, list[tuple[str, State, str]]] = {}
    if not path.exists() and not path.is_symlink():
        return rows
    if path.is_symlink() or not path.is_file():
        raise ValueError(f"{path}: no regular file")
    if path.stat().st_size > MAX_ROWS:
        raise ValueError(f"{path}: larger than {MAX_ROWS >> 20} MiB")
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        try:
            row = json.loads(line)
            if row.get("file") and row.get("state") != State.OTHER_LANGUAGE:
                continue
            state = State(row.get("state", "no-code"))
            why = _plain("; ".join(map(str, row.get("notes", ()))))
            entry = (_plain(str(row["sample"])), state, why)
            rows.setdefault(str(row["task"]), []).append(entry)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{path}: line {number}: {error}") from error
    return rows
