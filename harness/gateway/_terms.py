"""The user's file of facts about models: prices, limits, and parameters that they take."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

MAX_FILE = 1 << 20
TABLES = ("limits", "prices", "takes")


def read_terms(file: Path, wanted: str) -> dict[str, Any]:
    """The tables `[WANTED."NAME"]` of a TOML file: name -> table.

    Raises ValueError with a line that names the file.
    """
    try:
        with file.open("rb") as opened:
            text = opened.read(MAX_FILE + 1)
        if len(text) > MAX_FILE:
            raise ValueError("larger than 1 MiB")
        document = tomllib.loads(text.decode())
    except (OSError, ValueError) as error:
        raise ValueError(f"{file}: {' '.join(str(error).split())}") from error
    if (
        not document
        or not set(document) <= set(TABLES)
        or not all(isinstance(t, dict) for t in document.values())
    ):
        raise ValueError(
            f'{file}: holds tables [{TABLES[0]}."NAME"] (or {", ".join(TABLES[1:])}), and nothing else'
        )
    terms: dict[str, Any] = document.get(wanted, {})
    return terms
