"""Convert expected output of functional tests to oracles. Falsy values are expectations like the rest."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arena.tracks.dual.tasks.dualgauge.answers import responds, unsaid
from arena.tracks.dual.tasks.dualgauge.declared import (
    BY_CONVENTION,
    ERROR_SAID,
    KINDS,
    SAYS_ERROR,
    is_error,
)
from arena.tracks.dual.tasks.dualgauge.facts import TestFacts
from arena.tracks.dual.tasks.dualgauge.reading import MISSING
from arena.tracks.dual.tasks.dualgauge.requests import Untypable
from arena.tracks.dual.tasks.dualgauge.shaping import TaskShape
from arena.tracks.dual.tasks.dualgauge.stepping import DEPTH, value

_EXCEPTION = re.compile(
    r"(?:raises?\s+|throws?\s+)?(?:an?\s+)?([A-Z]\w*(?:Error|Exception))(?:\s+raised)?"
)
PLACEHOLDER = re.compile(
    r"<[^<>\n]{2,60}>|\b(?:non-?empty|any|some|valid|random(?:ly)?|generated|unique)\s+[\w -]{0,40}"
    r"\b(?:identifier|id|string|token|value|text|hash|uuid|key|path|name|number|timestamp|message)",
    re.IGNORECASE,
)
# A text that `PLACEHOLDER` takes as the description of one.
ANY_TEXT = "any text"
_OUTPUT = re.compile(r"\bstdout\b|\bstandard output\b|\bcommand(?:'s)? output\b", re.IGNORECASE)
_PRINTED = ("stdout", "output", "printed", "log_messages", "logs", "console")
_STATE = (
    "created",
    "exists",
    "executable",
    "written",
    "saved",
    "file_name",
    "filename",
    "deleted",
    "log_",
)


@dataclass(frozen=True)
class ProposedOracle:
    """An oracle with its parameters, and the rule that proposed it."""

    oracle: str
    parameters: dict[str, Any]
    rule: str


def propose_oracles(
    wanted: Any, test_input: Any, shaped: TaskShape, facts: TestFacts
) -> list[ProposedOracle]:
    """The oracles of a functional test. Raises Untypable where none is certain."""
    if wanted is MISSING:
        raise Untypable("nothing is expected")
    if shaped.io.shape == "http":
        if isinstance(wanted, str) and unsaid(wanted, facts):
            return [ProposedOracle("refuses", {"pattern": SAYS_ERROR}, "unsaid-error")]
        parameters = responds(wanted, facts)
        if not parameters:  # all that is expected is an error's text, which no program can know
            return [ProposedOracle("refuses", {"pattern": SAYS_ERROR}, "unsaid-error")]
        return [ProposedOracle("responds", parameters, "http-answer")]
    if isinstance(wanted, dict):
        stated = _propose_state(wanted, test_input, facts)
        if stated:
            return stated
    if shaped.io.shape == "function":
        return [_propose_return(wanted, facts)]
    return _propose_output(wanted, shaped.io.shape == "stdin" and facts.prompts_user)


def _propose_return(wanted: Any, facts: TestFacts) -> ProposedOracle:
    if isinstance(wanted, str):
        name = _EXCEPTION.fullmatch(wanted.strip())
        if name and facts.says(rf"(?:rais|throw)\w*[^.]{{0,60}}{name.group(1)}"):
            return ProposedOracle("raises", {"types": [name.group(1)]}, "names-exception")
    if isinstance(wanted, str) and unsaid(wanted, facts):
        values = [None, {"$match": f"(?is).*{ERROR_SAID}.*"}, *BY_CONVENTION]
        return ProposedOracle("refuses", {"values": values, "subset": True}, "unsaid-error")
    if isinstance(wanted, dict) and is_error(wanted):
        wanted = {
            key: ANY_TEXT
            if isinstance(item, str) and key not in KINDS and unsaid(item, facts)
            else item
            for key, item in wanted.items()
        }
    parameters: dict[str, Any] = {"value": matcher(wanted, _OUTPUT.search(facts.text) is not None)}
    # The specification names each field, so an answer with further fields still follows it.
    if isinstance(wanted, dict) and wanted and all(facts.names_field(key) for key in wanted):
        parameters["subset"] = True
    return ProposedOracle("returns", parameters, "returned-value")


def matcher(wanted: Any, printed: bool = False, depth: int = 0) -> Any:
    """The value with tags; what only describes a text ("non-empty identifier") becomes a matcher.

    printed: texts were printed by a command, and may have a line end that the test leaves out.
    """
    if depth > DEPTH:
        raise Untypable(f"what is expected is deeper than {DEPTH} levels")
    if isinstance(wanted, str) and PLACEHOLDER.fullmatch(wanted.strip()):
        return {"$match": r"[\s\S]+"}
    if isinstance(wanted, str) and printed:
        return {"$match": rf"{re.escape(wanted)}\s*"}
    if isinstance(wanted, list):
        return [matcher(item, printed, depth + 1) for item in wanted]
    if isinstance(wanted, dict):
        plain = {key: matcher(item, printed, depth + 1) for key, item in wanted.items()}
        return {"$escape": plain} if any(key.startswith("$") for key in plain) else plain
    return value(wanted)


def _propose_state(
    wanted: dict[str, Any], test_input: Any, facts: TestFacts
) -> list[ProposedOracle]:
    """Oracles of an object that describes the state after the run, not the return value. [] for the rest.

    It is a state when the specification has none of its keys, and all of them are words for a state.
    Raises Untypable where a part of it cannot be looked up.
    """
    # Only names with an underscore: a word such as `created` stands in prose as well.
    if any(key in facts.text for key in wanted if "_" in key):
        return []
    if not wanted or not all(_is_state(key) for key in wanted):
        return []
    result: list[ProposedOracle] = []
    name = next((wanted[key] for key in ("file_name", "filename", "file") if key in wanted), None)
    if isinstance(name, str) and re.fullmatch(r"[\w.-]{1,100}", name):
        result.append(
            ProposedOracle("writes", _propose_file(name, wanted, test_input, facts), "file-made")
        )
    for key in _PRINTED:
        texts = wanted.get(key)
        texts = [texts] if isinstance(texts, str) else texts
        if isinstance(texts, list) and texts and all(isinstance(text, str) for text in texts):
            result.append(ProposedOracle("says", {"texts": texts}, "messages-said"))
    if not result:
        raise Untypable("the expected object describes a state, and names no file to look at")
    return result


def _is_state(key: str) -> bool:
    return key in _PRINTED or any(word in key for word in _STATE)


def _propose_file(
    name: str, wanted: dict[str, Any], test_input: Any, facts: TestFacts
) -> dict[str, Any]:
    exists = not any("deleted" in key and wanted[key] is True for key in wanted)
    exists = exists and not any("created" in key and wanted[key] is False for key in wanted)
    result: dict[str, Any] = {"path": name, "exists": exists}
    if exists and any("executable" in key and wanted[key] is True for key in wanted):
        result["executable"] = True
    texts = list(test_input.values()) if isinstance(test_input, dict) else [test_input]
    if (
        exists
        and len(texts) == 1
        and isinstance(texts[0], str)
        and facts.says(r"provided data|given data")
    ):
        result |= {"size": 0} if not texts[0] else {"contains": [texts[0]]}
    return result


def _propose_output(wanted: Any, asks: bool = False) -> list[ProposedOracle]:
    """Of a program that is started: what it prints, and how it ends. asks: questions may come before."""
    if isinstance(wanted, str):
        # A prompt may stand in the same line, in words that the program chooses; it must not end within a
        # word.
        ends = {"$match": rf"(?s)(?:.*\W)?{re.escape(wanted.strip())}\s*"}
        return [ProposedOracle("prints", {"text": ends if asks else wanted}, "printed-text")]
    if isinstance(wanted, dict):
        readers: dict[str, Callable[[Any], ProposedOracle]] = {
            "stdout": _text_printed, "output": _text_printed, "printed": _text_printed,
            "exit_code": _exits, "returncode": _exits, "return_code": _exits, "exit_status": _exits,
        }  # fmt: skip
        if wanted and wanted.keys() <= readers.keys():
            return [readers[key](item) for key, item in wanted.items()]
    if isinstance(wanted, list) and all(isinstance(item, str) for item in wanted) and wanted:
        return [ProposedOracle("prints", {"lines": wanted}, "printed-lines")]
    return [ProposedOracle("prints", {"json": matcher(wanted)}, "printed-json")]


def _text_printed(item: Any) -> ProposedOracle:
    text = "\n".join(map(str, item)) if isinstance(item, list) else item
    parameters = {"text": text} if isinstance(text, str) else {"json": matcher(text)}
    return ProposedOracle("prints", parameters, "printed-text")


def _exits(item: Any) -> ProposedOracle:
    if isinstance(item, bool) or not isinstance(item, int) or not 0 <= item <= 255:
        raise Untypable("the expected exit status is no number from 0 to 255")
    return ProposedOracle("exits", {"status": item}, "exit-status")
