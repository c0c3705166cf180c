import logging
import re

EVENT = re.compile(r"[A-Za-z0-9._]+")


def quoted(value: str | int) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def log_event(logger: logging.Logger, event: str, **fields: str | int) -> None:
    if not EVENT.match(event):
        raise ValueError("an event is made of letters, digits, dots and underscores")
    told = "".join(f" {key}={quoted(value)}" for key, value in fields.items())
    logger.info("%s", event + told)
