"""How a failing test met the weakness: its calls on the mutant, beside the secure program."""

from __future__ import annotations

import re
from collections.abc import Iterator

from arena.tracks.mutation.operators._operator import Operator
from arena.tracks.mutation.oracle.prove import compare, pairs
from arena.tracks.mutation.oracle.refusals import PROGRAMMING
from arena.tracks.mutation.oracle.witnesses import literals_of, mask_detail
from arena.tracks.mutation.runner.events import MECHANISMS
from arena.tracks.mutation.runner.facts import MockCall, TestOutcome
from arena.tracks.mutation.runner.mocks.stand_ins import KIND

# How a test's own assertion ends, `pytest.fail` and `pytest.raises` too.
ASSERTED = frozenset({"AssertionError", "Failed"})
# What a language's parser says of a text that is none.
BROKEN = re.compile(r"syntax|unterminated|unrecognized|unclosed|no such column|quot", re.I)
SHORTEST = 4


def list_encounters(
    operator: Operator,
    mutant_outcome: TestOutcome,
    secure_outcome: TestOutcome,
    mutant: str,
    secure: str,
    tests: str,
) -> Iterator[str]:
    """How the test met the weakness; the first result is enough. `mutant`, `secure`, `tests`: sources.

    A mechanism alone (text of an argument in a statement) shows a weakness but no attack: there the test must
    have looked at the state that shows it, or have broken the statement.
    """
    comparison = compare(
        operator.witnesses, mutant_outcome, secure_outcome, mutant, secure, planted_in(tests)
    )
    for name, detail, on_mutant, on_secure in comparison:
        if not mechanism(name):
            if not is_useless_call(on_mutant, on_secure):
                yield f"{detail} ({name})"
        elif _broke(on_mutant, on_secure):
            ended = on_mutant.text or on_mutant.returned or ""
            yield f"the input broke it ({ended[:80]}): {detail} ({name})"
    yield from _looked_at(operator, mutant_outcome, secure_outcome)
    if mutant_outcome.kind in ASSERTED:
        yield from _handed_on(mutant_outcome, secure_outcome, mutant, secure)


def planted_in(tests: str) -> tuple[str, ...]:
    """Texts of a test module that may be attacks and reach the program by means besides a call."""
    try:
        texts = literals_of(tests)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    # Plain words are in every test; only a text with special characters can be an attack.
    strange = (t for t in texts if len(t) >= SHORTEST and not re.fullmatch(r"[\w .,-]*", t))
    return tuple(sorted(strange, key=lambda text: (-len(text), text)))


def is_useless_call(on_mutant: MockCall, on_secure: MockCall) -> bool:
    """A call that only the mutant cannot take, such as a text for `pickle.loads`, is no attack."""
    return on_mutant.raised == "TypeError" and not on_secure.raised


def mechanism(witness: str) -> bool:
    return witness.removeprefix("event:") in MECHANISMS


def _broke(on_mutant: MockCall, on_secure: MockCall) -> bool:
    """Whether the input turned a statement into an unreadable statement, or broke a server."""
    if on_secure.raised or on_mutant.raised in PROGRAMMING:
        return False
    if on_mutant.raised:
        return bool(BROKEN.search(on_mutant.text))
    return _fails(on_mutant) and not _fails(on_secure)


def _fails(call: MockCall) -> bool:
    """Whether a request was answered with an error of the server."""
    return bool(re.match(r"5\d\d ", call.returned or ""))


def _looked_at(
    operator: Operator, mutant_outcome: TestOutcome, secure_outcome: TestOutcome
) -> Iterator[str]:
    """State of a mock that shows the weakness, where the test read it and got a different value."""
    for area, attributes in operator.watched.items():
        for attribute in attributes:
            before, after = (
                _looks(secure_outcome, area, attribute),
                _looks(mutant_outcome, area, attribute),
            )
            if after and after != before:
                yield f"{area}.{attribute} was {after[-1]}" + (
                    f", on the secure program {before[-1]}" if before else ""
                )


def _looks(test: TestOutcome, area: str, attribute: str) -> list[str]:
    """Values of a mock's state that the test itself looked at, in order."""
    return [
        look.value
        for look in test.reads
        if look.by_test and (look.area, look.attribute) == (area, attribute)
    ]


def _handed_on(
    mutant_outcome: TestOutcome, secure_outcome: TestOutcome, mutant: str, secure: str
) -> Iterator[str]:
    """What the program passed to the test's stand-ins (mocks, functions of the test), where that differs.

    A call that slips on the mutant did not get as far as to hand it on, and shows nothing.
    """
    for pair in pairs(mutant_outcome, secure_outcome, mutant, secure):
        now, before = (
            [mask_detail(event.detail) for event in events if event.kind == KIND]
            for events in (pair.mutant_events, pair.secure_events)
        )
        if now != before and pair.mutant.raised not in PROGRAMMING:
            new = next((item for item in now if item not in before), "nothing")
            yield f"a stand-in got {new[:200]}, from the secure program {' '.join(before)[:200]}"
