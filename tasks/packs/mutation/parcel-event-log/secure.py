import json
import logging
import re

EVENT = re.compile(r"[A-Za-z0-9._]+")


def log_event(logger: logging.Logger, event: str, **fields: str | int) -> None:
    if not EVENT.fullmatch(event):
        raise ValueError("an event is made of letters, digits, dots and underscores")
    told = "".join(f" {key}={json.dumps(value)}" for key, value in fields.items())
    logger.info("%s", event + told)
