"""Masks keys in output: the single place that knows what must never be printed.

A key is the value of an environment variable whose name ends like those of LiteLLM's providers.
"""

from __future__ import annotations

import os
import re

SECRETS = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_CREDENTIALS")
MASK = "***"
# Shorter values are words such as "none", not keys.
MIN_SECRET_CHARACTERS = 8
MAX_MESSAGE_CHARACTERS = 600
# Providers quote the key that they refuse, which need not be a key of this environment.
_LOOKS = re.compile(r"(?i)\b(?:bearer +|sk-)[\w.~+/=-]{8,512}")


def keys() -> list[str]:
    """The keys in the environment, longest first, so that a key within another is masked whole."""
    secrets = {
        value
        for name, value in os.environ.items()
        if name.upper().endswith(SECRETS) and len(value) >= MIN_SECRET_CHARACTERS
    }
    return sorted(secrets, key=len, reverse=True)


def redact(text: str) -> str:
    """A line of bounded length without keys, nor what looks like a key."""
    for key in keys():
        text = text.replace(key, MASK)
    line = _LOOKS.sub(MASK, " ".join(text[: 4 * MAX_MESSAGE_CHARACTERS].split()))
    return line if len(line) <= MAX_MESSAGE_CHARACTERS else line[:MAX_MESSAGE_CHARACTERS] + "..."


class Redactor:
    """Masks keys in a stream of bytes; the keys are read from the environment once."""

    def __init__(self) -> None:
        self._keys = [key.encode() for key in keys()]

    def __call__(self, data: bytes) -> bytes:
        for key in self._keys:
            if key in data:
                data = data.replace(key, MASK.encode())
        return data
