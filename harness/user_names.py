"""Names that a user gives an agent or a model, `NAME=REST`; tables show the name, a key the whole text."""

from __future__ import annotations

import re

NAMED = re.compile(r"([A-Za-z0-9][\w.+-]{0,40})=(.+)", re.DOTALL)


def display_name(text: str) -> str:
    """The name of an agent or a model for people: the user's, or the text itself."""
    match = NAMED.fullmatch(text)
    return match[1] if match else text


def strip_name(text: str) -> str:
    """The text of an agent or a model without the name that a user gave it."""
    match = NAMED.fullmatch(text)
    return match[2] if match else text
