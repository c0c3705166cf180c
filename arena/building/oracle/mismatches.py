"""Finds mismatches for a task's tests.

A word in the input of a test and in the output that it expects is replaced alike by the task's alternative
values. Where a single place of these gets a third word, input and expectation no longer fit. A program that
passes the test with both replacements fails it then, if the test compares at all: so gold fails it, and so
does every program that computes its answers.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice, zip_longest
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

# A place: path, offset, and the third word.
Place = tuple[str, int, str]


def add_mismatches(
    trials: Trials,
    values: OtherValues,
    repository_words: Collection[str],
    chance: Random,
    seconds: float,
) -> OtherValues:
    """`values` with up to MAX_PLACES mismatches that gold's tests notice, or unchanged if there is none.

    repository_words: all words of the repository, none of which is put. Raises a SandboxFault.
    """
    started = time.monotonic()
    run = trials.run(values)
    if run is None:
        return values
    accepted, report = values, run.report
    for place in islice(list_places(trials.contents, values, repository_words, chance), MAX_RUNS):
        trial = _with_place(accepted, place)
        run = trials.run(trial)
        failing = find_newly_failing(report, run.report) if run else []
        trials.on_run(trials.runs, len(failing))
        if run and failing:
            accepted, report = replace(trial, failing=(*accepted.failing, *failing)), run.report
        if len(accepted.failing) and _count_places(accepted) == MAX_PLACES:
            break
        if time.monotonic() - started > seconds * TIME_SHARE:
            break
    return accepted if _is_stable(trials, accepted, report) else values


def list_places(
    contents: Mapping[str, bytes],
    values: OtherValues,
    repository_words: Collection[str],
    chance: Random,
) -> Iterator[Place]:
    """The places of replaced words, in random order, a place of each file in turn."""
    places_of_files = []
    for path, pairs in sorted(values.files.items()):
        data = contents[path]
        kind = text_kind(path, data)
        places = []
        for start, end in word_spans(data, kind) if kind else ():
            old = data[start:end].decode("ascii")
            third = _choose_third_word(old, pairs.get(old, ""), repository_words)
            if third:
                places.append((path, start, third))
        chance.shuffle(places)
        places_of_files.append(places)
    chance.shuffle(places_of_files)
    return filter(None, chain.from_iterable(zip_longest(*places_of_files)))


def find_newly_failing(before: TestReport, after: TestReport) -> list[str]:
    """Names of the tests that pass before and fail after; none if anything else differs or too many do."""
    if before.outcomes.keys() != after.outcomes.keys() or (before.complete and not after.complete):
        return []
    changed = [name for name, how in before.outcomes.items() if after.outcomes[name] != how]
    are_failing = all(
        before.outcomes[name] is Outcome.PASSED and after.outcomes[name] in FAILING
        for name in changed
    )
    return changed if are_failing and len(changed) <= MAX_FAILING_PER_PLACE else []


def _choose_third_word(old: str, new: str, repository_words: Collection[str]) -> str:
    """`new` with another last letter; "" for a word that is not replaced, is short or ends with a digit."""
    if len(new) < MIN_WORD_LENGTH or not new[-1].isalpha():
        return ""
    letters = ascii_lowercase.upper() if new[-1].isupper() else ascii_lowercase
    thirds = (new[:-1] + letter for letter in letters)
    return next((word for word in thirds if word not in {old, new, *repository_words}), "")


def _with_place(values: OtherValues, place: Place) -> OtherValues:
    path, offset, word = place
    places = {**values.mismatches.get(path, {}), offset: word}
    return replace(values, mismatches={**values.mismatches, path: places})


def _count_places(values: OtherValues) -> int:
    return sum(map(len, values.mismatches.values()))


def _is_stable(trials: Trials, values: OtherValues, report: TestReport) -> bool:
    """Whether gold's outcomes with the mismatches are the same in as many runs as the task asks for."""
    runs = (trials.run(values) for _ in range(trials.task.spec.tests.runs) if values.failing)
    return all(run is not None and run.report.outcomes == report.outcomes for run in runs)
