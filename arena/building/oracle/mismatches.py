"""Searches mismatches for a task's tests: see `tasks/other_values.py`.

A word in the input of a test and in the output that it expects is replaced alike in both. Where a single
of these places gets a third word, input and expectation no longer fit. A program that passes the test with
the word and with its replacement fails it then, if the test compares at all: so gold fails it, and so does
every program that computes its answers.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from random import Random
from string import ascii_lowercase

from arena.building.oracle.trials import Trials
from harness.grade.testing import FAILING
from parsers.literals import text_kind, word_spans
from parsers.outcomes import Outcome, TestReport
from tasks.other_values import OtherValues

# Places with a third word. More of them would leave fewer tests that have to pass with other values.
MAX_PLACES = 3
MAX_RUNS = 80
# Part of the time for the search of other values.
TIME_SHARE = 0.2
# A place may fail a few tests, such as a case and the program that it is a part of.
MAX_FAILING_PER_PLACE = 3
# Shorter words are letters of options and numbers, which programs compare in other ways than by their text.
MIN_WORD_LENGTH = 3


@dataclass(frozen=True)
class Place:
    """A word in a test's file. third: what is put there; is_new: whether gold adds the line."""

    path: str
    offset: int
    third: str
    is_new: bool


@dataclass
class _PlaceSearch:
    """Tries places in turn. failing_by_place: of each that is accepted, the tests that fail."""

    trials: Trials
    values: OtherValues
    before: TestReport
    deadline: float
    left: int = MAX_RUNS
    failing_by_place: dict[Place, list[str]] = field(default_factory=dict)

    def try_places(self, places: Sequence[Place], wanted: int) -> list[Place]:
        """Accept up to `wanted` places, each of which makes different tests fail."""
        accepted: list[Place] = []
        for place in places:
            if len(accepted) >= wanted or not self.left or time.monotonic() > self.deadline:
                break
            self.left -= 1
            run = self.trials.run(_with_places(self.values, {place: []}))
            failing = find_newly_failing(self.before, run.report) if run else []
            self.trials.on_run(self.trials.runs, len(failing))
            others = {name for names in self.failing_by_place.values() for name in names}
            if 0 < len(failing) <= MAX_FAILING_PER_PLACE and others.isdisjoint(failing):
                self.failing_by_place[place] = failing
                accepted.append(place)
        return accepted


def add_mismatches(
    trials: Trials, values: OtherValues, all_words: Collection[str], chance: Random, seconds: float
) -> OtherValues:
    """Add up to MAX_PLACES mismatches that gold's tests notice, or return `values` if there is none.

    all_words: those of the repository, none of which is put. Raises a SandboxFault.
    """
    deadline = time.monotonic() + seconds * TIME_SHARE
    run = trials.run(values)
    if run is None:
        return values
    search = _PlaceSearch(trials, values, run.report, deadline)
    places = list_places(trials.contents, trials.new_lines, values, all_words, chance)
    new, old = ([place for place in places if place.is_new == side] for side in (True, False))
    # A patch has reason to bend the tests of the feature, which gold adds. But one of these has to pass with
    # other values, or a table of the feature's tests would answer all that is left.
    accepted = search.try_places(new, MAX_PLACES + 1)[:-1]
    accepted += search.try_places(old, MAX_PLACES - len(accepted))
    chosen = {place: search.failing_by_place[place] for place in accepted}
    mismatched = _with_places(values, chosen)
    return mismatched if _is_stable(trials, mismatched, run.report) else values


def list_places(
    contents: Mapping[str, bytes],
    new_lines: Mapping[str, Collection[int]],
    values: OtherValues,
    all_words: Collection[str],
    chance: Random,
) -> list[Place]:
    """The places of replaced words, in random order, a place of each file in turn."""
    places_of_files = []
    for path, pairs in sorted(values.files.items()):
        data = contents[path]
        kind = text_kind(path, data)
        places = []
        for start, end in word_spans(data, kind) if kind else ():
            word = data[start:end].decode("ascii")
            third = _choose_third_word(word, pairs.get(word, ""), all_words)
            is_new = data.count(b"\n", 0, start) + 1 in new_lines.get(path, ())
            if third:
                places.append(Place(path, start, third, is_new))
        chance.shuffle(places)
        places_of_files.append(places)
    chance.shuffle(places_of_files)
    return [*filter(None, chain.from_iterable(zip_longest(*places_of_files)))]


def find_newly_failing(before: TestReport, after: TestReport) -> list[str]:
    """Names of the tests that pass before and fail after; none if anything else differs."""
    if before.outcomes.keys() != after.outcomes.keys() or (before.complete and not after.complete):
        return []
    changed = [name for name, how in before.outcomes.items() if after.outcomes[name] != how]
    are_failing = all(
        before.outcomes[name] is Outcome.PASSED and after.outcomes[name] in FAILING
        for name in changed
    )
    return changed if are_failing else []


def _choose_third_word(word: str, replacement: str, all_words: Collection[str]) -> str:
    """`replacement` with another last letter; "" if there is none, or it is short or ends with a digit."""
    if len(replacement) < MIN_WORD_LENGTH or not replacement[-1].isalpha():
        return ""
    letters = ascii_lowercase.upper() if replacement[-1].isupper() else ascii_lowercase
    thirds = (replacement[:-1] + letter for letter in letters)
    taken = {word, replacement}
    return next((third for third in thirds if third not in taken and third not in all_words), "")


def _with_places(
    values: OtherValues, failing_by_place: Mapping[Place, Sequence[str]]
) -> OtherValues:
    mismatches: dict[str, dict[int, str]] = {}
    for place in failing_by_place:
        mismatches.setdefault(place.path, {})[place.offset] = place.third
    failing = tuple(chain.from_iterable(failing_by_place.values()))
    return OtherValues(values.files, mismatches, failing)


def _is_stable(trials: Trials, values: OtherValues, before: TestReport) -> bool:
    """Whether just these tests fail in as many runs as the task requires of its suite."""
    runs = (trials.run(values) for _ in range(trials.task.spec.tests.runs) if values.failing)
    return all(
        run is not None and {*find_newly_failing(before, run.report)} == {*values.failing}
        for run in runs
    )
