"""Shows the progress of a sweep: a bar on a terminal, otherwise plain lines, but never a line per attempt."""

from __future__ import annotations

import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence

from arena.jobs import WAITS, Node, StageJob
from arena.report.text import one_line
from arena.store.model import AttemptUpdate
from arena.sweep.watch import Totals

# Seconds over which the rate is taken.
WINDOW_S = 120.0
# Seconds from one plain line to the next, the first comes at once: a night's log stays readable.
PAUSE_S = 60.0
MAX_SHOWN_STEPS = 4
AWAY = "the sandbox backend does not answer: attempts in flight wait for it"
BACK = "no attempt waits for the sandbox backend any more"
PrintLine = Callable[[str], None]


class Rate:
    """Attempts per second over the last `WINDOW_S` seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._measurements: deque[tuple[float, int]] = deque()

    def measure(self, done: int) -> None:
        now = self._clock()
        # Once a second: a sweep of short attempts would keep thousands of measurements.
        if (
            not self._measurements
            or now - self._measurements[-1][0] >= 1
            or len(self._measurements) == 1
        ):
            self._measurements.append((now, done))
        while len(self._measurements) > 2 and now - self._measurements[0][0] > WINDOW_S:
            self._measurements.popleft()

    def per_second(self, done: int) -> float:
        """Attempts per second; 0.0 before the first measurement."""
        if not self._measurements:
            return 0.0
        since, earlier = self._measurements[0]
        passed = self._clock() - since
        return (done - earlier) / passed if passed > 0 and done > earlier else 0.0


class Progress:
    """A `Watch`, to be used as a context manager by the thread that drives.

    total: attempts that are wanted. usd: the sweep's budget. live: a bar in place of lines. print_line:
    gets each line; by default they go to stderr. each: report each attempt that ends as well, numbered from
    this number of ended attempts.
    """

    def __init__(
        self,
        run: str,
        total: int,
        usd: float | None = None,
        live: bool | None = None,
        print_line: PrintLine | None = None,
        clock: Callable[[], float] = time.monotonic,
        each: int | None = None,
    ) -> None:
        self._run, self._total, self._usd, self._ended = run, total, usd, each
        self._live = sys.stderr.isatty() if live is None else live
        self._print_line = print_line or _to_stderr
        self._clock, self._rate = clock, Rate(clock)
        self._steps: dict[str, str] = {}
        self._nodes: Sequence[Node] = ()
        # So that the first line comes at once.
        self._shown_at, self._shown_counts = -PAUSE_S + clock(), (0, 0)
        self._trouble, self._waits = "", False
        self._bar = _Line(run) if self._live else None

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    # what the driver reports

    def nodes(self, nodes: Sequence[Node]) -> None:
        self._nodes = tuple(nodes)

    def step(self, job: StageJob, step: str) -> None:
        self._steps[job.attempt] = step
        if not step:
            del self._steps[job.attempt]

    def report_end(self, job: StageJob, written: AttemptUpdate) -> None:
        self._steps.pop(job.attempt, None)
        verdict = written.verdict
        if self._ended is not None and self._bar is None and verdict is not None:
            self._ended += 1
            name = f"{job.key.task} x {job.key.column}"
            self._print_line(
                f"[{self._ended}/{self._total}] {name}: {verdict.label or verdict.health}"
            )

    def note(self, text: str) -> None:
        if self._bar is not None:
            self._bar.note(one_line(text))
        else:
            self._print_line(text)

    def tick(self, totals: Totals) -> None:
        if totals.trouble != self._trouble:
            self._trouble = totals.trouble
            self.note(totals.trouble or "the store is back")
        waits = WAITS in self._steps.values()
        if waits != self._waits:
            self._waits = waits
            self.note(AWAY if waits else BACK)
        done = totals.done
        self._rate.measure(done)
        if self._bar is not None:
            self._bar.update(self.text(totals))
            return
        now, counted = self._clock(), (done, totals.faults)
        if counted != self._shown_counts and (
            now - self._shown_at >= PAUSE_S or done >= self._total
        ):
            self._shown_at, self._shown_counts = now, counted
            self._print_line(f"{self._run}: {self.text(totals)}")

    # in words

    def text(self, totals: Totals) -> str:
        """The line of progress: attempts, labels, spend, time left, rate, nodes and steps, by importance."""
        done = totals.done
        rate, left = self._rate.per_second(done), max(0, self._total - done)
        parts = [
            labels_text(totals.labels),
            f"{totals.faults} faults" if totals.faults else "",
            self._money(totals.spent.usd),
            f"{duration(left / rate)} left" if rate and left else "",
            f"{per_minute(rate * 60)} a minute" if rate else "",
            f"{len(self._nodes)} nodes" if len(self._nodes) > 1 else "",
            f"{totals.in_flight} in flight{self._describe_steps()}" if totals.in_flight else "",
        ]
        line = "; ".join(part for part in parts if part)
        return one_line(f"[{done}/{self._total}] {line}")

    def _money(self, usd: float) -> str:
        if self._usd is not None:
            return f"{usd:.2f} of {self._usd:g} USD"
        return f"{usd:.2f} USD" if usd else ""

    def _describe_steps(self) -> str:
        common = Counter(self._steps.values()).most_common(MAX_SHOWN_STEPS)
        steps = ", ".join(f"{count} {step}" for step, count in common)
        return f" ({steps})" if steps else ""


class _Line:
    """A live line of rich on stderr, cut from the right; the run is named above it, once."""

    def __init__(self, run: str) -> None:
        from rich.console import Console
        from rich.live import Live

        self._console = Console(stderr=True)
        self._live, self._run = Live(console=self._console, refresh_per_second=4), run

    def start(self) -> None:
        self.note(one_line(self._run))
        self._live.start()

    def stop(self) -> None:
        self._live.stop()

    def update(self, now: str) -> None:
        from rich.text import Text

        self._live.update(Text(now, no_wrap=True, overflow="ellipsis"))

    def note(self, text: str) -> None:
        # Square brackets in a task's name or a model's message would be read as rich's markup.
        self._console.print(text, markup=False, highlight=False)


def _to_stderr(text: str) -> None:
    print(one_line(text), file=sys.stderr, flush=True)


def labels_text(labels: Mapping[str, int]) -> str:
    """Labels with their counts, the commonest first."""
    return ", ".join(f"{count} {label}" for label, count in Counter(labels).most_common() if count)


def per_minute(rate: float) -> str:
    """A rate in three digits at least: "0.25", "12.5", "1030"."""
    return f"{rate:.0f}" if rate >= 100 else f"{rate:.3g}"


def duration(seconds: float) -> str:
    """Seconds as text in no more than two units: "45 s", "12 min", "3 h 20 min", "2 d 4 h"."""
    rounded = round(seconds)
    if rounded < 90:
        return f"{rounded} s"
    minutes = round(rounded / 60)
    if minutes < 90:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 36:
        return f"{hours} h {minutes} min"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h"
