"""Measures a commit by PyDriller: files, lines, functions, and their cyclomatic complexity.

SecureAgentBench leaves out the long tail of large changes; here anybody can bound what a task may ask for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields

from szz.driller import driller
from szz.paths import outside
from szz.repository import GitFailed, Repository


@dataclass(frozen=True)
class Complexity:
    """Counts over the C and C++ sources that a commit changes, tests left out; as bounds, 0 is no bound.

    lines: added and deleted. complexity: McCabe's cyclomatic complexity of the changed functions as the
    commit leaves them, summed (counted by lizard).
    """

    files: int = 0
    lines: int = 0
    functions: int = 0
    complexity: int = 0

    def beyond(self, bounds: Complexity) -> str:
        """The measures above their bounds, in words; empty when there are none."""
        names = [field.name for field in fields(self)]
        over = [
            f"{getattr(self, name)} {name}, more than {getattr(bounds, name)}"
            for name in names
            if 0 < getattr(bounds, name) < getattr(self, name)
        ]
        return "; ".join(over)

    def to_json(self) -> dict[str, int]:
        return asdict(self)


def complexity_of(repository: Repository, commit: str) -> Complexity:
    """The counts of a commit against its first parent. Raises GitFailed where it cannot be read.

    The repository is read through the shadow that borrows its objects: no setting of it takes part.
    """
    try:
        counted = list(_measure_files(repository, commit))
    except Exception as error:  # PyDriller raises whatever its parsers and GitPython raise
        raise GitFailed(f"pydriller: {type(error).__name__}: {str(error)[:200]}") from error
    return Complexity(*map(sum, zip(*counted, strict=True))) if counted else Complexity()


def _measure_files(repository: Repository, commit: str) -> Iterator[tuple[int, int, int, int]]:
    for file in driller(repository).get_commit(commit).modified_files:
        path = file.new_path or file.old_path or ""
        # PyDriller counts every modified file; documents and tests would make a small change look large.
        if outside(path.encode("utf-8", "surrogateescape"), "source"):
            continue
        changed = {method.long_name for method in file.changed_methods}
        # `changed_methods` includes deleted ones, whose complexity nobody has to write: only those that are
        # left count.
        now = [method for method in file.methods if method.long_name in changed]
        lines = file.added_lines + file.deleted_lines
        yield 1, lines, len(changed), sum(method.complexity for method in now)
