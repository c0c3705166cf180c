"""The source of an export: the chosen attempts of a run, streamed so that memory stays flat."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from arena.store.model import Attempt, Row, TaskFacts
from harness.user_names import display_name

if TYPE_CHECKING:
    from arena.protocols import Track
    from arena.report.selection import Selection
    from arena.store.store import Store
    from arena.store.tables import RunRow

Say = Callable[[str], None]


@dataclass(frozen=True)
class Source:
    """A run of a store, and which of its attempts are wanted.

    mix_versions: rates may be of labels that do not compare; sign_key: the SSH key that signs what is
    written, where the format can be signed.
    """

    store: Store
    run: RunRow
    wanted: Selection
    mix_versions: bool = False
    sign_key: Path | None = None

    @classmethod
    def open(
        cls, store: Store, run: str, wheres: Sequence[str] = (), mix_versions: bool = False
    ) -> Source:
        """`run`: an id, or latest; `wheres`: FIELD=VALUE. Raises UnknownRun, ValueError."""
        from arena.report.selection import Selection

        run_record, wanted = store.run(run), Selection.parse(wheres)
        if wheres:
            # A value that is misspelt would choose nothing and export an empty run.
            wanted.expect_known(list(store.rows((run_record.id,))))
        return cls(store, run_record, wanted, mix_versions)

    def rows(self) -> list[Row]:
        """The wanted attempts, light."""
        return [row for row in self.store.rows((self.run.id,)) if self.wanted.matches(row)]

    @property
    def track(self) -> type[Track]:
        """The track's class; for a track that is unknown here, a class that scores nothing."""
        from arena.tracks.opening import track_class_or_bare

        return track_class_or_bare(self.run.track)

    @cached_property
    def tasks(self) -> dict[str, TaskFacts]:
        return self.store.tasks(self.run.id)

    def task(self, name: str) -> TaskFacts:
        """The facts of a task; an old run has none."""
        return self.tasks.get(name) or TaskFacts(name)

    def attempts(self, withdrawn: bool = False) -> Iterator[Attempt]:
        """The wanted attempts, in an order that is the same each time. withdrawn: those too that are in no
        rate, as `rows` never has them."""
        from arena.store.model import withdrawn_attempts

        left_out = frozenset[str]() if withdrawn else withdrawn_attempts(self.run.settings)
        for attempt in self.store.each_attempt(self.run.id):
            if attempt.id not in left_out and self.wanted.matches(self.row(attempt)):
                yield attempt

    def row(self, attempt: Attempt) -> Row:
        """The light row of an attempt, by which it is chosen."""
        facts, key = self.task(attempt.key.task), attempt.key
        return Row(
            attempt.id,
            attempt.run,
            self.run.track,
            self.run.pack,
            key.task,
            display_name(key.agent),
            attempt.model,
            key.prompt,
            key.replicate,
            attempt.health,
            attempt.label,
            attempt.score,
            attempt.usd,
            attempt.tokens,
            attempt.seconds,
            tuple(attempt.flags),
            tuple(attempt.new_cwes),
            facts.language,
            facts.project,
            facts.domain,
            facts.cwes,
            provenance=attempt.provenance,
        )


class ExchangeFormat(Protocol):
    """A format for the export of a run; `help` is a line for people."""

    name: str
    help: str

    def write(self, source: Source, out: Path, say: Say) -> None:
        """Write to `out`, a file or a folder as the format is.

        Raises OSError, and ValueError for a run that the format cannot represent.
        """
        ...


@dataclass(frozen=True)
class WrittenFile:
    """A format that is a single function."""

    name: str
    help: str
    write: Callable[[Source, Path, Say], None]
