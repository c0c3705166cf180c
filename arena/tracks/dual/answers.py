"""Programs that somebody brings: a folder of samples, or a list of completions, as attempts to be graded.

    DIR/<task>/<sample>.<py|js|mjs|cjs|cpp|cc|c> programs; rows of DIR/samples.jsonl without a file (replies
                                                 without a program) are samples too
    DIR/<model>/<task>/<sample>.<...>            the same for several models
    FILE.jsonl                                   {"task" or "task_id", "completion" or "reply"}, and perhaps
                                                 "sample", "model", "finish_reason": a model's reply, with
                                                 the program in it; or "error", if no answer came

Every task of the pack has k samples of each model (0: the highest number of any task). A sample
without a file or row has the state `missing`, and so fails. A row which reports an error has no label.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.models.endings import fault_in, no_answer
from arena.models.languages import Language
from arena.models.program_extraction import ProgramState as Extracted
from arena.models.program_extraction import extract
from arena.models.thoughts import drop_thoughts
from arena.protocols import Answers
from arena.store.model import AttemptKey
from arena.tracks.choices import ANSWERS
from arena.tracks.dual.languages.plan import MAX_SOURCE
from arena.tracks.dual.results import State
from arena.tracks.dual.tasks.pack import DualPack, DualTask, language_of
from harness.gateway.endings import Ending, ending, reason_of
from harness.protocols import Solution

ROWS = "samples.jsonl"
MAX_ROWS = 256 << 20
MAX_NAME = 400
TASK, TEXT = ("task", "task_id"), ("completion", "reply")


@dataclass(frozen=True)
class _FoundAnswers:
    """A program for a task, or the lack of it: then `state` and `why` give the reason."""

    task: DualTask
    name: str
    language: Language
    source: bytes = b""
    state: State = State.USABLE
    why: str = ""
    answered: bool = True

    @property
    def solution(self) -> Solution:
        facts = {"sample": self.name, "language": self.language, "state": str(self.state)}
        note = {**facts, "notes": [self.why] if self.why else []}
        return Solution(
            self.source, note=note if self.answered else {**facts, **no_answer(self.why)}
        )


@dataclass
class AnswerReader:
    """Reads what is brought for a pack. language: only such, "" for all. k: samples planned for each task."""

    pack: DualPack
    language: Language | str = ""
    k: int = 0

    def __post_init__(self) -> None:
        self.known = {task.id: task for task in self.pack.tasks}
        self.problems: list[str] = []

    def read(self, path: Path) -> Answers:
        """Raises ValueError for what holds nothing for this pack, or more samples of a task than k."""
        if path.is_dir():
            below = sorted(
                entry for entry in path.iterdir() if entry.is_dir() and not entry.is_symlink()
            )
            # A folder named like a task is that task's, whatever lies in it: only then may a folder be a
            # model's.
            several = [item for item in below if item.name not in self.known and self._holds(item)]
            folders = {"": path} if not several else {_plain(item.name): item for item in several}
            models = {model: self._folder(folder) for model, folder in folders.items()}
        else:
            models = self._completions(path)
        answer_count = max(
            (len(samples) for of in models.values() for samples in of.values()), default=0
        )
        if not answer_count:
            raise ValueError(f"{path}: holds no program of a task of this pack")
        # pass@k needs the same n for all tasks; samples that are too many must not be dropped in silence.
        if self.k and answer_count > self.k:
            raise ValueError(
                f"options.k: {self.k} samples a task are planned, and a task has {answer_count}"
            )
        answers = [
            (AttemptKey(task.id, ANSWERS, model, replicate=number), item.solution)
            for model, found_answers in models.items()
            for task in self.pack.tasks
            for number, item in enumerate(
                self._add_missing(task, found_answers.get(task.id, []), self.k or answer_count)
            )
        ]
        return Answers(answers, self.problems)

    def _holds(self, folder: Path) -> bool:
        return any(entry.is_dir() and entry.name in self.known for entry in folder.iterdir())

    def _language_of(self, task: DualTask) -> Language:
        return self.language or task.spec.languages[0]  # type: ignore[return-value] # "" or a Language

    def _add_missing(
        self, task: DualTask, answers: Sequence[_FoundAnswers], k: int
    ) -> list[_FoundAnswers]:
        wanted = self._language_of(task)
        lacking = [
            _FoundAnswers(task, f"missing-{number}", wanted, state=State.MISSING)
            for number in range(k - len(answers))
        ]
        return _distinct([*answers, *lacking])

    def _folder(self, folder: Path) -> dict[str, list[_FoundAnswers]]:
        names = sorted(path.name for path in folder.iterdir() if path.is_dir())
        self.problems += [
            f"{_plain(name)}: the pack has no such task" for name in names if name not in self.known
        ]
        without = self._replies_without_code(folder / ROWS)
        by_task = {}
        for task in self.pack.tasks:
            noted = without.get(task.id, [])
            taken = {item.name for item in noted}
            programs = self._read_task_folder(task, folder / task.id)
            by_task[task.id] = [
                *(program for program in programs if program.name not in taken),
                *noted,
            ]
        return by_task

    def _read_task_folder(self, task: DualTask, folder: Path) -> list[_FoundAnswers]:
        if not folder.is_dir() or folder.is_symlink():
            return []
        samples = []
        for path in sorted(folder.iterdir()):
            language = language_of(path)
            if language is None or path.is_symlink() or not path.is_file():
                suffixes = ".py, .js, .mjs, .cjs, .cpp, .cc, .c"
                self.problems.append(f"{task.id}/{_plain(path.name)}: no program ({suffixes})")
            elif self.language in ("", language):
                samples.append(_program(task, path, language))
        names = [sample.name for sample in samples]
        return [
            replace(sample, name=f"{sample.name}.{sample.language}")
            if names.count(sample.name) > 1
            else sample
            for sample in samples
        ]

    def _replies_without_code(self, path: Path) -> dict[str, list[_FoundAnswers]]:
        """Replies recorded as containing no program as requested, by task. Raises ValueError."""
        rows: dict[str, list[_FoundAnswers]] = {}
        for where, row in _rows(path) if path.exists() or path.is_symlink() else ():
            # Its program lies beside the list; a program in another language lies there too, and is still no
            # answer.
            if row.get("file") and row.get("state") != State.OTHER_LANGUAGE:
                continue
            fault = fault_in(row)
            try:
                state = State.MISSING if fault else State(row.get("state", "no-code"))
                name = _plain(str(row["sample"]))
                why = _plain(fault or "; ".join(map(str, row.get("notes", ()))))
                task = self.known.get(str(row["task"]))
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{where}: {error}") from error
            if task is not None:
                wanted = self._language_of(task)
                row_answer = _FoundAnswers(
                    task, name, wanted, state=state, why=why, answered=not fault
                )
                rows.setdefault(task.id, []).append(row_answer)
        return rows

    def _completions(self, path: Path) -> dict[str, dict[str, list[_FoundAnswers]]]:
        """By model and task. Raises ValueError."""
        models: dict[str, dict[str, list[_FoundAnswers]]] = {}
        for where, row in _rows(path):
            name = next((str(row[key]) for key in TASK if key in row), "")
            text = next((row[key] for key in TEXT if isinstance(row.get(key), str)), None)
            fault = fault_in(row)
            if not name or (text is None and not fault):
                raise ValueError(f"{where}: needs `task` (or `task_id`) and `completion`, a text")
            task = self.known.get(name)
            if task is None:
                self.problems.append(f"{_plain(name)}: the pack has no such task")
                continue
            by_task = models.setdefault(_plain(str(row.get("model") or "")), {})
            answers = by_task.setdefault(task.id, [])
            called = _plain(str(row.get("sample", len(answers))))
            if fault or text is None:
                lacking = _FoundAnswers(
                    task, called, self._language_of(task), state=State.MISSING, why=_plain(fault),
                    answered=False,
                )  # fmt: skip
                answers.append(lacking)
            else:
                reason = reason_of(row.get("finish_reason"))
                answers.append(self._from_reply(task, called, text, reason))
        return models

    def _from_reply(self, task: DualTask, name: str, text: str, reason: str) -> _FoundAnswers:
        wanted, cut = self._language_of(task), reason == Ending.OUT_OF_TOKENS
        functions = [function.name for function in task.spec.io.functions]
        program = extract(text, wanted, functions, cut)
        # Without its thoughts, or a model that only thought would count as one that wrote no code.
        answer = drop_thoughts(text)
        state = State.USABLE if program.source else State(ending(answer, reason, cut))
        if program.state is Extracted.OTHER_LANGUAGE:
            state = State.OTHER_LANGUAGE
        source = program.source.encode("utf-8", "replace")
        return _FoundAnswers(task, name, wanted, source, state, "; ".join(program.notes))


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(where, row) of a JSONL file; links and pipes are never opened. Raises ValueError."""
    # A pipe among somebody's files would be waited for without an end, and a link may lead anywhere.
    if path.is_symlink() or not path.is_file():
        raise ValueError(f"{path}: no regular file")
    if path.stat().st_size > MAX_ROWS:
        raise ValueError(f"{path}: larger than {MAX_ROWS >> 20} MiB")
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        where = f"{path}: line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{where}: {error}") from error
        if not isinstance(row, dict):
            raise ValueError(f"{where}: an object is expected")
        yield where, row


def _program(task: DualTask, path: Path, language: Language) -> _FoundAnswers:
    name = _plain(path.stem)
    if path.stat().st_size > MAX_SOURCE:
        why = f"longer than {MAX_SOURCE >> 20} MiB"
        return _FoundAnswers(task, name, language, state=State.NO_CODE, why=why)
    if language not in task.spec.languages:
        why = f"it is {language}, the task is for {', '.join(task.spec.languages)}"
        return _FoundAnswers(task, name, language, state=State.OTHER_LANGUAGE, why=why)
    source = path.read_bytes()
    if not source.strip():
        return _FoundAnswers(task, name, language, state=State.NO_CODE, why="the file is empty")
    return _FoundAnswers(task, name, language, source)


def _distinct(samples: Sequence[_FoundAnswers]) -> list[_FoundAnswers]:
    """The samples with unique names: people distinguish them only by name."""
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
    """A name as a store may hold it: what is not UTF-8 is written out."""
    return name.encode("utf-8", "backslashreplace").decode()[:MAX_NAME]
