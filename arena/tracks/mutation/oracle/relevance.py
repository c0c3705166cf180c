"""Whether what a mutant lets through is about its weakness, and anything for an attacker.

A refusal that is gone may be any refusal, and a call that ends in another exception gave nothing, unless it
did something before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from arena.tracks.mutation.oracle.places import bases, foreign, inside
from arena.tracks.mutation.oracle.values import leaves, texts_of, value_of
from arena.tracks.mutation.runner.facts import MockCall

INTERNAL = re.compile(
    r"^\w*:?//([^/@]*@)?(localhost|127\.|0\.0|10\.|192\.168|172\.|169\.254|\[|metadata)", re.I
)
HOSTLESS = re.compile(r"^https?:(/{0,2}$|/[^/]|///)", re.I)
CLEAR = re.compile(r"\b(?:http|ftp|smtp|ldap|ws|amqp|mqtt)://", re.I)
CLIMBING = re.compile(r"\.\.|^[/\\~]|\\|\x00|%2e|%2f|^\w+:", re.I)
TEXT = re.compile(r"""["']([^"'\n]+)["']""")
STRANGE = re.compile(r"[^\w\s.,@:/-]|[\r\n\x00]|^-|__|\bimport\b")


# Kinds of events that an attacker may want, however the call ends.
EFFECTS = frozenset(
    {
        *("stored", "file.opened", "file.mode", "command.shell", "command.run", "canary.executed"),
        *("http.requested", "credential.used", "code.evaluated", "deserial.unsafe", "sql.injected"),
    }
)
# A database's own errors (PEP 249).
DATABASE = frozenset(
    {"OperationalError", "IntegrityError", "ProgrammingError", "DatabaseError", "InterfaceError"}
)
# Witnesses that see something although the call ends in an exception.
REFUSABLE = frozenset({"granted", "literal-secret"})
# Weaknesses in which only what is more than usual attacks.
AMOUNTS = frozenset({"CWE-400"})
NUMBER = re.compile(r"\d{1,18}")
# Length at which the text of a call's arguments is cut.
CUT = 2000


def _measures(call: MockCall) -> tuple[int, int, float]:
    """Of a call's arguments: the longest text, how many values, the largest number (in texts too)."""
    argument_leaves = list(leaves(value_of(call.arguments)))
    texts = texts_of(call.arguments)
    numbers = [
        abs(v) for v in argument_leaves if isinstance(v, int | float) and not isinstance(v, bool)
    ]
    numbers += [int(digits) for text in texts for digits in NUMBER.findall(text)]
    return max(map(len, texts), default=0), len(argument_leaves), max(numbers, default=0)


def unusual(call: MockCall, ordinary: Iterable[MockCall]) -> bool:
    """Whether a call brings more, in some measure, than every ordinary call of the same function.

    Of any function, where there is none of this function. Calls whose arguments are cut count as more
    than usual.
    """
    served = [o for o in ordinary if not o.raised]
    same = [o for o in served if o.function == call.function]
    usual = [_measures(o) for o in same or served]
    # A text that was cut has lost its measure.
    if not usual or len(call.arguments) >= CUT:
        return True
    largest = map(max, zip(*usual, strict=True))
    return any(
        now > largest_usual for now, largest_usual in zip(_measures(call), largest, strict=True)
    )


def beyond(cwe: str, call: MockCall, ordinary: Iterable[MockCall], code: str) -> bool:
    """Whether a call that was let through differs from what ordinary calls, of functional tests, may do.

    That an address leads away is nothing where the program is there to take addresses that do.
    """
    if cwe in AMOUNTS:
        return unusual(call, ordinary)
    served = [o for o in ordinary if o.function == call.function and not o.raised]
    return cwe != "CWE-601" or not any(_leads_on(o, code) for o in served)


def _leads_on(call: MockCall, code: str) -> bool:
    texts = (text for text in texts_of(call.arguments) if foreign(text, code))
    return any(text in (call.returned or "") for text in texts)


def _exhausts(call: MockCall, secure_call: MockCall, code: str) -> bool:
    """Whether no text is empty and the largest number is above 0; False for an empty secure result."""
    # An empty result of the secure program may be a limit that it kept.
    if value_of(secure_call.returned or "...") in ([], (), {}, ""):
        return False
    argument_leaves = list(leaves(value_of(call.arguments)))
    numbers = [v for v in argument_leaves if isinstance(v, int | float) and not isinstance(v, bool)]
    return "" not in argument_leaves and b"" not in argument_leaves and max(numbers, default=1) > 0


def _leads_away(call: MockCall, secure_call: MockCall, code: str) -> bool:
    """Whether an argument is an address of a host that the program does not name, or of an internal host."""
    texts = texts_of(call.arguments)
    return any(foreign(text, code) or INTERNAL.search(text) for text in texts)


def _reaches(call: MockCall, secure_call: MockCall, code: str) -> bool:
    """Whether an argument is such an address, and has a host, without which no request can go."""
    texts = [text for text in texts_of(call.arguments) if not HOSTLESS.match(text)]
    return any(foreign(text, code) or INTERNAL.search(text) for text in texts)


def _allows_cleartext(call: MockCall, secure_call: MockCall, code: str) -> bool:
    """What comes back does not lead to TLS alone."""
    result = call.returned or ""
    return "https://" not in result or bool(CLEAR.search(result))


def _climbs(call: MockCall, secure_call: MockCall, code: str) -> bool:
    """Whether an argument is a climbing or unusual path, which did not end inside the program's folders."""
    argument_texts = texts_of(call.arguments)
    reached = texts_of(call.text if call.raised else call.returned or "")
    folders = bases(TEXT.findall(code), argument_texts)
    return any(map(CLIMBING.search, argument_texts)) and not any(
        inside(path, folders) for path in reached
    )


def _is_special(call: MockCall, secure_call: MockCall, code: str) -> bool:
    """A text with signs that mean something to a page, a shell, an evaluator or a header."""
    return any(STRANGE.search(text) for text in texts_of(call.arguments))


# CWE -> whether a call, refused by the secure program (whose source it is), attacks in that way.
ABOUT: dict[str, Callable[[MockCall, MockCall, str], bool]] = {
    "CWE-400": _exhausts,
    "CWE-319": _allows_cleartext,
    "CWE-601": _leads_away,
    "CWE-918": _reaches,
    **dict.fromkeys(("CWE-22", "CWE-73"), _climbs),
    **dict.fromkeys(("CWE-74", "CWE-77", "CWE-78", "CWE-79", "CWE-94", "CWE-95"), _is_special),
}


def relevant(cwe: str, name: str, call: MockCall, secure_call: MockCall, code: str) -> bool:
    """Whether what the witness `name` saw is about the CWE; only `granted` may be about anything.

    Where the mutant's call ended in an exception as well, it must have done something that the secure
    program's did not.
    """
    if name in REFUSABLE and call.raised and not _effects(call) - _effects(secure_call):
        return False
    if name != "granted":
        return True
    about = ABOUT.get(cwe)
    return about is None or about(call, secure_call, code)


def _effects(call: MockCall) -> set[str]:
    """Effects of a call; a statement that the database refused has none."""
    refused = {"stored", "sql.injected"} if call.raised in DATABASE else set()
    return {event.kind for event in call.events} & EFFECTS - refused
