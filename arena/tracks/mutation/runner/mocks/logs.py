"""A sensor in `logging`, and the bare names `logger` and `log`."""

from __future__ import annotations

import functools
import logging
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import cut

BREAKS = frozenset([*map(chr, range(32)), "\x7f", "\x85", "\u2028", "\u2029"]) - {"\t"}
# Libraries log what a test sends them: their records would show as the program's.
LOUD = frozenset({"urllib3", "asyncio", "faker"})


def breaking(arguments: tuple[str, ...]) -> list[str]:
    """Arguments that hold a line break or a control character."""
    return [a for a in arguments if BREAKS & set(a[:2000])]


def handling(log: Log, real: Any) -> Any:
    """`Logger.handle`, which first records the log record."""

    @functools.wraps(real)
    def handle(self: logging.Logger, record: logging.LogRecord) -> Any:
        if record.name.partition(".")[0] not in LOUD:
            try:
                text = record.getMessage()
            except Exception:  # noqa: BLE001 - the program's mistake, which logging itself reports
                text = str(record.msg)
            log.event("log.written", cut(text))
            if any(_forges(argument, text) for argument in breaking(log.arguments())):
                log.event("log.forged", cut(text))
        return real(self, record)

    return handle


def _forges(argument: str, text: str) -> bool:
    """Whether a control character of the argument stands in the record with what is beside it."""
    for at, sign in enumerate(argument[:2000]):
        # With three characters on each side: a program's own line breaks must not count as the argument's.
        if sign in BREAKS and argument[max(at - 3, 0) : at + 4] in text:
            return True
    return False


def PLUGIN(log: Log) -> Supplied:
    """The sensor, and a logger under both names."""
    logger = logging.getLogger("program")
    return Supplied(
        names={"logger": logger, "log": logger},
        patches=((logging.Logger, "handle", handling(log, logging.Logger.handle)),),
    )


_L = "import logging\ndef note(who):\n    logging.getLogger('a').warning({})\n"
EXAMPLES = (
    MockExample(
        _L.format("'user %s', who"), "note('x\\nroot logged in')", ("log.written", "log.forged")
    ),
    MockExample(
        _L.format("'user %r', who"), "note('x\\nroot logged in')", ("log.written",), ("log.forged",)
    ),
    MockExample(
        "def note(w):\n    logger.error(w)\n", "note('plain')", ("log.written",), ("log.forged",)
    ),
)
