"""Read DualGauge-Bench's files as they are. They are hostile: nothing but plain JSON is taken."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tasks.loader import TaskError
from tasks.whole_file import read_whole

MAX_FILE = 64 << 20
# Well below the 4300 digits that Python converts at most since 3.11.
MAX_DIGITS = 1_000
MAX_TASKS = 10_000
MAX_TESTS = 2_000
MAX_DEPTH = 100
SUITES: dict[str, Literal["functional", "security"]] = {
    "fc_tests": "functional",
    "sec_tests": "security",
}
PREFIX = {"functional": "fc", "security": "sec"}
EXPECTED = ("expected_output", "expected_behavior/output", "expected_behavior")
CWE = re.compile(r"CWE[-_ ]?0*([1-9][0-9]{0,5})(?![0-9])", re.IGNORECASE)
_ID = re.compile(r"[A-Za-z0-9._-]{1,90}")
# It becomes a folder's name in the pack: no separators, and no dot in front.
_TASK = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}")


class Missing:
    """Marks an absent value: `None` is a value that is present."""

    def __repr__(self) -> str:
        return "missing"


MISSING = Missing()


@dataclass(frozen=True)
class OriginalTest:
    """A test. `input` and `expected` are MISSING where the file has none; `file` is `input_file_path`."""

    kind: Literal["functional", "security"]
    name: str
    record: dict[str, Any]

    @property
    def input(self) -> Any:
        return self.record.get("input", MISSING)

    @property
    def file(self) -> str:
        value = self.record.get("input_file_path")
        return value if isinstance(value, str) else ""

    @property
    def expected_value(self) -> Any:
        return next((self.record[key] for key in EXPECTED if key in self.record), MISSING)

    @property
    def cwes(self) -> tuple[str, ...]:
        """The CWE ids in their usual spelling: "CWE-020" is "CWE-20"; of "N/A" there are none."""
        value = self.record.get("CWE", "")
        cwes = CWE.findall(" ".join(map(str, value)) if isinstance(value, list) else str(value))
        return tuple(dict.fromkeys(f"CWE-{number}" for number in cwes))


@dataclass(frozen=True)
class Original:
    """A task: its folder, the file byte for byte, and its content. `problems`: (test or "", what)."""

    id: str
    folder: Path
    raw: bytes
    content: dict[str, Any]
    tests: tuple[OriginalTest, ...]
    problems: tuple[tuple[str, str], ...] = ()

    @property
    def prompt(self) -> str:
        return str(self.content["prompt"])

    @property
    def details(self) -> str:
        return str(self.content.get("implementation_details") or "")


def read_folder(path: Path) -> tuple[list[Original], dict[str, str]]:
    """All tasks below `path` (`<n>/tests.json` each), by number; or the task whose folder it is.

    Of folders that cannot be read, name -> why. Raises TaskError naming file and field where none can.
    """
    if (path / "tests.json").exists():
        return [read_task(path.resolve())], {}
    try:
        folders = [folder for folder in path.iterdir() if (folder / "tests.json").exists()]
    except OSError as error:
        raise TaskError(f"{path}: {error.strerror}") from error
    if not folders:
        raise TaskError(f"{path}: no tests.json there, nor in its folders")
    if len(folders) > MAX_TASKS:
        raise TaskError(f"{path}: more than {MAX_TASKS} tasks")
    tasks: list[Original] = []
    refused: dict[str, str] = {}
    for folder in sorted(folders, key=_order):
        try:
            tasks.append(read_task(folder))
        except TaskError as error:
            refused[folder.name] = str(error).removeprefix(f"{path}/")
    if not tasks:
        raise TaskError(f"{path}: {next(iter(refused.values()))}")
    return tasks, refused


def _order(path: Path) -> tuple[int, str]:
    number = path.name if path.name.isascii() and path.name.isdigit() else ""
    return (int(number[:18]) if number else 10**18, path.name)


def read_task(folder: Path) -> Original:
    """Read a task's folder. Raises TaskError naming file and field."""
    if not _TASK.fullmatch(folder.name):
        raise TaskError(f"{folder}: the folder's name cannot be the id of a task")
    path = folder / "tests.json"
    raw = _bytes(path)
    content = strict(raw, path)
    if not isinstance(content, dict):
        raise TaskError(f"{path}: an object is expected")
    _check_texts(content, path)
    problems: list[tuple[str, str]] = []
    tests = tuple(
        test
        for key, kind in SUITES.items()
        for test in _tests(content.get(key, []), kind, f"{path}: {key}", problems)
    )
    for key in SUITES.keys() - content.keys():
        problems.append(("", f"{key} is not there"))
    named = content.get("benchmark_id", folder.name)
    if str(named) != folder.name:
        problems.append(("", f"benchmark_id {str(named)[:40]!r} is not the folder's name"))
    return Original(folder.name, folder, raw, content, tests, tuple(sorted(problems)))


def _bytes(path: Path) -> bytes:
    if path.is_symlink() or not path.is_file():
        raise TaskError(f"{path}: a plain file is expected")
    return read_whole(path, MAX_FILE, TaskError)


def strict(raw: bytes, path: Path | str) -> Any:
    """Parse JSON by the standard: UTF-8 without a mark, unique keys, every number representable.

    Raises TaskError naming `path` and the mistake.
    """
    # Refused here by name: `json` reports a mark as an unexpected character.
    if raw.startswith(b"\xef\xbb\xbf"):
        raise TaskError(f"{path}: begins with a byte order mark")
    try:
        content = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_parse_integer,
        )
        _check_depth(content)
        return content
    except UnicodeDecodeError as error:
        raise TaskError(f"{path}: not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise TaskError(f"{path}: not JSON: nested too deeply") from error
    except ValueError as error:
        raise TaskError(f"{path}: not JSON: {error}") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    # `json` keeps the last of equal keys without a word, other readers the first.
    if len(record) < len(pairs):
        keys: set[str] = set()
        twice = next(key for key, _ in pairs if key in keys or keys.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twice[:60]!r} is there twice")
    return record


def _check_depth(content: Any) -> None:
    waiting = [(content, 0)]
    while waiting:
        item, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(item, dict | list):
            inner = item.values() if isinstance(item, dict) else item
            waiting.extend(
                (inner_value, depth + 1)
                for inner_value in inner
                if isinstance(inner_value, dict | list)
            )


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:20]} is out of range")
    return value


def _parse_integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number has more than {MAX_DIGITS} digits")
    return int(text)


def _check_texts(content: dict[str, Any], path: Path) -> None:
    if not isinstance(content.get("prompt"), str):
        raise TaskError(f"{path}: prompt: a text is expected")
    if not isinstance(content.get("implementation_details", ""), str | None):
        raise TaskError(f"{path}: implementation_details: a text is expected")


def _tests(
    records: Any,
    kind: Literal["functional", "security"],
    where: str,
    problems: list[tuple[str, str]],
) -> list[OriginalTest]:
    if not isinstance(records, list):
        raise TaskError(f"{where}: a list is expected")
    if len(records) > MAX_TESTS:
        raise TaskError(f"{where}: more than {MAX_TESTS} tests")
    ids: list[str | None] = []
    for index, record in enumerate(records):
        if not isinstance(record, dict):
            raise TaskError(f"{where}[{index}]: an object is expected")
        if not isinstance(record.get("input_file_path", ""), str | None):
            raise TaskError(f"{where}[{index}].input_file_path: a text is expected")
        ids.append(_original_id(record.get("test_id")))
    # First all ids of the file, so that a number given to one test is not the id of a later one.
    taken = {item for item in ids if item is not None}
    used: set[str] = set()
    tests = []
    for index, (record, record_ids) in enumerate(zip(records, ids, strict=True)):
        number = (
            record_ids if record_ids is not None and record_ids not in used else _free(taken, index)
        )
        used.add(number)
        if number != record_ids:
            test_id = record.get("test_id", "missing")
            problems.append(
                (f"{PREFIX[kind]}-{number}", f"test_id {str(test_id)[:40]!r}: numbered")
            )
        tests.append(OriginalTest(kind, f"{PREFIX[kind]}-{number}", record))
    return tests


def _original_id(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    text = str(value)
    return text if _ID.fullmatch(text) else None


def _free(taken: set[str], index: int) -> str:
    number = f"n{index}"
    while number in taken:
        number += "n"
    taken.add(number)
    return number
