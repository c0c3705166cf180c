"""Whether a check or a replacement keeps characters that do harm out of a text."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator

from arena.tracks.exposure.detect._expression import Expression, Untriable
from arena.tracks.exposure.detect._pattern_width import only
from arena.tracks.exposure.detect._tainted import (
    Sanitizes,
    cleared_by,
    holds_all,
    is_listed,
    is_number,
    tainted_flows,
)
from arena.tracks.exposure.flow.facts import (
    UNKNOWN,
    CallFact,
    Check,
    Flow,
    ProgramFacts,
    TaintSource,
    Value,
)

_WORDS = (".isalnum", ".isalpha", ".isidentifier")
_MATCHES = ("match", "fullmatch")
_SEARCHES = ("search", "findall", "match", "finditer")
_REPLACES = ("sub", "subn")
# Functions that raise for a text that is no address. (`socket.inet_aton` lets text follow the address.)
_ADDRESSES = frozenset(
    (
        "ipaddress.ip_address", "ipaddress.IPv4Address", "ipaddress.IPv6Address", "ipaddress.ip_network",
        "ipaddress.IPv4Network", "ipaddress.IPv6Network", "socket.inet_pton", "netaddr.IPAddress",
    )
)  # fmt: skip
_VALIDATORS = re.compile(
    r"validators\.(?:domain|hostname|ipv4|ipv6|ip_address\.\w+|uuid|mac_address|slug)|netaddr\.valid_\w+"
)


class TaintedText:
    """Finds untrusted data that could still hold harmful characters.

    facts: of the program. harmful: characters that do harm at the sink. sanitizes: functions after which
    the data holds none. letters: whether letters, digits and "_" are harmless.
    """

    def __init__(
        self, facts: ProgramFacts, harmful: str, sanitizes: Sanitizes, letters: bool = True
    ) -> None:
        self._harmful = harmful
        self._harmless = frozenset(string.printable) - frozenset(harmful)
        self._sanitizes = sanitizes
        self._letters = letters
        self._stripped = frozenset(self._sources_with_replacements(facts))

    def first(self, value: Value | None, checks: Iterable[Check]) -> Flow | None:
        """The first flow of a value that no sanitizer and no check guards, or None."""
        if value is None or not value.flows:
            return None
        for flow in tainted_flows(value, checks, self._sanitizes, self._guards):
            if not any((flow.source, step) in self._stripped for step in flow.through):
                return flow
        return None

    def kept_by(self, values: Iterable[Value | None], checks: Iterable[Check]) -> str | None:
        """What keeps the first untrusted data of these values harmless; None where they hold none."""
        checks_known = tuple(checks)
        reasons = (
            cleared_by(value, checks_known, self._sanitizes, self._guards) for value in values
        )
        return next(filter(None, reasons), None)

    def _guards(self, check: Check, flow: Flow) -> bool:
        return (
            is_listed(check, flow)
            or is_number(check, flow)
            or self._is_of_harmless(check, flow)
            or _is_subset(check, flow)
            or self._lacks(check, flow)
            or self._is_checked_by_call(check, flow)
        )

    def _is_of_harmless(self, check: Check, flow: Flow) -> bool:
        """`each in "abc"`, for a text or for each of its characters."""
        texts = check.right.texts
        # Exact: a list that could hold more than is known says nothing of the rest.
        member = check.operator == "in" and check.holds and bool(texts) and check.right.exact
        return member and holds_all(check.left, flow) and not self._hold_harmful(texts)

    def _hold_harmful(self, texts: Iterable[str]) -> bool:
        return any(item in text for text in texts for item in self._harmful)

    def _lacks(self, check: Check, flow: Flow) -> bool:
        """`not any(bad in text for bad in (...))` with every harmful character."""
        absent = check.operator == "in" and not check.holds and holds_all(check.right, flow)
        return absent and set(self._harmful) <= set(check.left.texts)

    def _is_checked_by_call(self, check: Check, flow: Flow) -> bool:
        arguments = check.right.items or ()
        about = any(holds_all(item, flow) for item in arguments)
        if check.operator == "returned":
            return about and bool(check.name & _ADDRESSES)
        if check.operator != "call":
            return False
        if check.holds and self._letters and any(name.endswith(_WORDS) for name in check.name):
            return holds_all(check.left, flow)
        if check.holds and any(_VALIDATORS.fullmatch(name) for name in check.name):
            return about
        return about and self._is_matched(check, arguments)

    def _is_matched(self, check: Check, values: tuple[Value, ...]) -> bool:
        method = _method(check.name)
        patterns = _patterns(check.name, check.left, values)
        if not patterns:
            return False
        # With `re.M` a `$` is also before a line end, and the next line is anything.
        if check.holds and (method == "fullmatch" or not _matches_by_line(check)):
            return method in (*_MATCHES, "search") and all(
                only(pattern, self._harmless, method) for pattern in patterns
            )
        lacks = not check.holds and method in _SEARCHES[:2]
        # A pattern that refuses must find each harmful character, or those that it misses come through.
        return lacks and all(self._finds_all(pattern, "search") for pattern in patterns)

    def _finds_all(self, pattern: str, how: str) -> bool:
        """Whether a pattern finds each harmful character, wherever it stands."""
        try:
            expression = Expression(pattern)
            return all(expression.accepts(item, how) for item in self._harmful)
        except Untriable:
            return False

    def _sources_with_replacements(self, facts: ProgramFacts) -> Iterator[tuple[TaintSource, str]]:
        """Sources whose harmful characters are replaced, with the step that stands for it."""
        for source, texts in self._replaced_characters(facts).items():
            if set(self._harmful) <= texts:
                yield source, ".replace"
        for call in facts.calls:
            if not any(path.endswith((".sub", ".subn")) for path in call.paths):
                continue
            if self._replaces_all(call):
                for flow in call.result.flows:
                    for step in flow.through & {"re.sub", "re.subn", ".sub", ".subn"}:
                        yield flow.source, step

    def _replaced_characters(self, facts: ProgramFacts) -> dict[TaintSource, set[str]]:
        """What text.replace(...) takes out of data, for each source."""
        characters: dict[TaintSource, set[str]] = {}
        for call in facts.calls_ending_with(".replace"):
            gone, instead = (*call.arguments, UNKNOWN, UNKNOWN)[:2]
            if instead.exact and not self._hold_harmful(instead.texts):
                for flow in call.result.flows:
                    characters.setdefault(flow.source, set()).update(gone.texts)
        return characters

    def _replaces_all(self, call: CallFact) -> bool:
        patterns = _patterns(call.paths, call.receiver, call.arguments)
        instead = call.arguments[0 if call.receiver.texts else 1 :][:1]
        harmless = all(item.exact and not self._hold_harmful(item.texts) for item in instead)
        return (
            harmless and bool(patterns) and all(self._finds_all(p, "fullmatch") for p in patterns)
        )


def _is_subset(check: Check, flow: Flow) -> bool:
    """`set(text) <= allowed`, `set(text).issubset(allowed)`."""
    is_subset_test = check.operator == "<=" or any(
        name.endswith(".issubset") for name in check.name
    )
    if not (is_subset_test and check.holds and check.left.is_("set()", "frozenset()")):
        return False
    about = any(item.source == flow.source for item in check.left.flows)
    return about and not any(
        item.untrusted_flows for item in (check.right, *(check.right.items or ()))
    )


def _matches_by_line(check: Check) -> bool:
    """Whether re.match(pattern, text, re.M) lets a text through because of a single line of it."""
    arguments = (*(check.right.items or ())[2:], *check.keywords.values())
    return any(item.is_("re.M", "re.MULTILINE") for item in arguments)


def _method(names: frozenset[str]) -> str:
    return min(names).rpartition(".")[2] if names else ""


def _patterns(names: frozenset[str], receiver: Value, values: tuple[Value, ...]) -> tuple[str, ...]:
    """The patterns of re.match(pattern, text), or of re.compile(pattern).match(text)."""
    if any(name.startswith("re.compile()") for name in names):
        return receiver.texts
    if any(name.startswith(("re.", "regex.")) for name in names) and values:
        return values[0].texts
    return ()
