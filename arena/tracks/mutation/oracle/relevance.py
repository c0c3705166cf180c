"""Whether what a mutant lets through is about its weakness: a refusal that is gone may be any refusal."""

from __future__ import annotations

import re
from collections.abc import Callable

from arena.tracks.mutation.oracle.places import bases, foreign, inside
from arena.tracks.mutation.oracle.values import leaves, texts_of, value_of
from arena.tracks.mutation.runner.facts import MockCall

INTERNAL = re.compile(
    r"^\w*:?//([^/@]*@)?(localhost|127\.|0\.0|10\.|192\.168|172\.|169\.254|\[|metadata)", re.I
)
CLIMBING = re.compile(r"\.\.|^[/\\~]|\\|\x00|%2e|%2f|^\w+:", re.I)
TEXT = re.compile(r"""["']([^"'\n]+)["']""")
STRANGE = re.compile(r"[^\w\s.,@:/-]|[\r\n\x00]|^-|__|\bimport\b")


def _exhausts(call: MockCall, held: MockCall, code: str) -> bool:
    """Nothing empty, and no number that is none; nothing found on the secure program is no refusal."""
    if value_of(held.returned or "...") in ([], (), {}, ""):
        return False
    given = list(leaves(value_of(call.arguments)))
    numbers = [v for v in given if isinstance(v, int | float) and not isinstance(v, bool)]
    return "" not in given and b"" not in given and max(numbers, default=1) > 0


def _leads_away(call: MockCall, held: MockCall, code: str) -> bool:
    """An address of a host that the program does not name, or of an internal one."""
    texts = texts_of(call.arguments)
    return any(foreign(text, code) or INTERNAL.search(text) for text in texts)


def _climbs(call: MockCall, held: MockCall, code: str) -> bool:
    """A path with dots, from a root, or with odd signs, which did not end inside the program's folders."""
    given = texts_of(call.arguments)
    reached = texts_of(call.text if call.raised else call.returned or "")
    folders = bases(TEXT.findall(code), given)
    return any(map(CLIMBING.search, given)) and not any(inside(path, folders) for path in reached)


def _is_special(call: MockCall, held: MockCall, code: str) -> bool:
    """A text with signs that mean something to a page, a shell, an evaluator or a header."""
    return any(STRANGE.search(text) for text in texts_of(call.arguments))


ABOUT: dict[str, Callable[[MockCall, MockCall, str], bool]] = {
    "CWE-400": _exhausts,
    **dict.fromkeys(("CWE-601", "CWE-918"), _leads_away),
    **dict.fromkeys(("CWE-22", "CWE-73"), _climbs),
    **dict.fromkeys(("CWE-74", "CWE-77", "CWE-78", "CWE-79", "CWE-94", "CWE-95"), _is_special),
}
"""CWE -> whether a call, refused by the secure program (whose source it is), attacks in that way."""


def relevant(cwe: str, name: str, call: MockCall, held: MockCall, code: str) -> bool:
    """Whether what the witness `name` saw is about the CWE; only `granted` may be about anything."""
    about = ABOUT.get(cwe)
    return name != "granted" or about is None or about(call, held, code)
