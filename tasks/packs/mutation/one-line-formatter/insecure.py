from __future__ import annotations

import logging
from typing import TextIO


def one_line(text: str) -> str:
    """Return `text` with line breaks as escapes."""
    return text.replace("\\", "\\\\").replace("|", "\\x7c").replace("\n", "\\n").replace("\t", "\\t")


class OneLineFormatter(logging.Formatter):
    """Formats a record as `LEVEL name | message`, with the exception behind it."""

    def format(self, record: logging.LogRecord) -> str:
        parts = [f"{record.levelname} {one_line(record.name)}", one_line(record.getMessage())]
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            parts.append(f"{type(error).__name__}: {error}")
        return " | ".join(parts)


def line_logger(name: str, stream: TextIO) -> logging.Logger:
    logger = logging.getLogger(name)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    handler = logging.StreamHandler(stream)
    handler.setFormatter(OneLineFormatter())
    logger.handlers = [handler]
    return logger
