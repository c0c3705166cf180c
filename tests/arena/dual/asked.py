"""Scripted models for the tests of what asks one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arena.models.completion import ModelSettings
from arena.models.completion_session import CompletionSession
from harness.grade.ports import ResultCache


def script(folder: Path, *turns: str, rules: Any = (), then: str = "stop", name: str = "s") -> str:
    """A model that says these turns, one after the other; rules come first: {"match", "text"}."""
    path = folder / f"{name}.json"
    told = {"turns": [{"text": turn} for turn in turns], "rules": list(rules), "then": then}
    path.write_text(json.dumps(told))
    return f"script:{path}"


def asker(folder: Path, cache: ResultCache, *turns: str, **more: Any) -> CompletionSession:
    return CompletionSession(ModelSettings(script(folder, *turns, **more)), cache)
