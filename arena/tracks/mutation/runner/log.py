"""What a run notes while it runs: events, reads and calls, each for the test (and the call) in progress."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from arena.tracks.mutation.runner import texts
from arena.tracks.mutation.runner.events import MAX_DETAIL, MAX_EVENTS

MAX_READS = 400
MAX_CALLS = 200
MAX_TEXT = 2000
SLOW = 1.0
# Taken before tests run, and of the processor: a test may replace the module's function, and a busy machine
# must make no call "slow".
_cpu = time.thread_time


@dataclass
class CallNote:
    """A call in progress, or a call that ended."""

    function: str
    arguments: str
    objects: tuple[Any, ...] | None = None
    returned_text: str | None = None
    raised: str = ""
    text: str = ""
    events: list[tuple[str, str]] = field(default_factory=list)
    started: float = 0.0
    _texts: tuple[str, ...] | None = None

    def texts(self) -> tuple[str, ...]:
        if self._texts is None:
            self._texts = texts.inside(self.objects) if self.objects else (self.arguments,)
        return self._texts

    def record_return(self, text: str) -> None:
        self.returned_text = texts.cut(text, MAX_TEXT)

    def to_json(self) -> list[Any]:
        return [
            self.function,
            self.arguments,
            self.returned_text,
            self.raised,
            self.text,
            self.events,
        ]


@dataclass
class LoggedTest:
    """All that was recorded of a test."""

    events: list[tuple[str, str]] = field(default_factory=list)
    reads: list[tuple[str, str, str, bool]] = field(default_factory=list)
    calls: list[CallNote] = field(default_factory=list)
    dropped: int = 0

    def copy(self) -> LoggedTest:
        return LoggedTest(list(self.events), list(self.reads), list(self.calls), self.dropped)

    def to_json(self) -> dict[str, Any]:
        events = self.events + ([("dropped", str(self.dropped))] if self.dropped else [])
        return {"events": events, "reads": self.reads, "calls": [c.to_json() for c in self.calls]}


class RunLog:
    """The `Log` of mocks. Between tests, and in the warm worker, it notes nothing."""

    def __init__(self) -> None:
        self._test: LoggedTest | None = None
        self._before = LoggedTest()
        self._call: CallNote | None = None

    # of the runner

    def start(self, importing: bool = False) -> None:
        """Begin a test. Events of the modules' import come first in every test."""
        self._test = LoggedTest() if importing else self._before.copy()
        self._call = None

    def finish_import(self) -> None:
        self._before, self._test = self._test or LoggedTest(), None

    def end(self) -> LoggedTest:
        note, self._test, self._call = self._test or LoggedTest(), None, None
        return note

    @property
    def active(self) -> bool:
        """A test (or the import) is in progress."""
        return self._test is not None

    @property
    def full(self) -> bool:
        """Whether no more events of this test are recorded."""
        return self._test is not None and len(self._test.events) >= MAX_EVENTS

    # of mocks

    def event(self, kind: str, detail: str = "") -> None:
        test = self._test
        if test is None:
            return
        if len(test.events) >= MAX_EVENTS:
            test.dropped += 1
            return
        entry = (texts.cut(kind, 40), texts.cut(detail, MAX_DETAIL))
        test.events.append(entry)
        if self._call is not None:
            self._call.events.append(entry)

    def read(self, area: str, attribute: str, value: object, by_test: bool) -> None:
        test = self._test
        if test is not None and len(test.reads) < MAX_READS:
            shown = texts.shorten_repr(value, MAX_DETAIL)
            test.reads.append((texts.cut(area, 40), texts.cut(attribute, 80), shown, bool(by_test)))

    @property
    def calling(self) -> bool:
        return self._call is not None

    def arguments(self) -> tuple[str, ...]:
        return self._call.texts() if self._call is not None else ()

    @contextmanager
    def call(
        self, function: str, arguments: str, objects: tuple[Any, ...] = ()
    ) -> Iterator[CallNote]:
        note = self.begin(function, None, arguments)
        if note is None:
            yield CallNote(function, arguments)
            return
        note.objects = objects or None
        try:
            yield note
        except BaseException as error:
            self.fail_call(note, error)
            raise
        self.end_call(note)

    # of the wrappers in `calls.py`

    def begin(
        self, function: str, objects: tuple[Any, ...] | None, shown: str = ""
    ) -> CallNote | None:
        """Record that a call begins; None during a call, or outside of tests."""
        if self._call is not None or self._test is None:
            return None
        text = (
            texts.shorten_repr(objects, MAX_TEXT)
            if objects is not None
            else texts.cut(shown, MAX_TEXT)
        )
        note = CallNote(texts.cut(function, 200), text, objects, started=_cpu())
        if len(self._test.calls) < MAX_CALLS:
            self._test.calls.append(note)
        self._call = note
        return note

    def end_call(self, note: CallNote, result: Any = None, has_result: bool = False) -> None:
        if has_result:
            note.returned_text = texts.shorten_repr(result, MAX_TEXT)
        self._finish(note)

    def fail_call(self, note: CallNote, error: BaseException) -> None:
        note.raised = texts.kind(error)
        note.text = texts.message(error, MAX_TEXT)
        self._finish(note)

    def pause(self, note: CallNote) -> None:
        """A call is left for its caller, who may go on with it: a generator between two steps."""
        if self._call is note:
            self._call = None

    def resume(self, note: CallNote) -> bool:
        """Resume a call; False during a different call, or outside of tests."""
        if self._call is not None or self._test is None:
            return False
        self._call = note
        return True

    def _finish(self, note: CallNote) -> None:
        spent = _cpu() - note.started
        if spent > SLOW:
            self.event("slow", f"{spent:.1f}")
        note.objects = None
        if self._call is note:
            self._call = None
