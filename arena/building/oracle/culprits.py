"""Which of many changes together break no test: several groups of them are bisected in the same runs.

Changes of a group (the words of a test program) break only that group's tests, as far as the first
runs show. So a single run tries a set of each group, and each group reads the outcomes of its tests.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from typing import Generic, TypeVar

Change = TypeVar("Change", bound=Hashable)
# Names of the tests that a set of changes breaks.
Broken = frozenset[str]

MAX_SWEEPS = 4


class _Exhausted(Exception):
    """All runs that were granted are used."""


class _GroupBisection(Generic[Change]):
    """Bisects a group. `harmless` is the largest set so far that broke none of its tests."""

    def __init__(self, changes: Sequence[Change], broken: Broken) -> None:
        self.harmless: list[Change] = [] if broken else list(changes)
        self._changes, self._broken = list(changes), broken
        self.steps = self._search()
        self.next = next(self.steps, None)

    def answer(self, broken: Broken) -> None:
        """Say which tests the set `next` breaks; then there is another `next`, or None at the end."""
        assert self.next is not None  # noqa: S101 - who calls has tried it
        broken &= self._broken
        if not broken and len(self.next) > len(self.harmless):
            self.harmless = self.next
        try:
            self.next = self.steps.send(broken)
        except StopIteration:
            self.next = None

    def _search(self) -> Generator[list[Change], Broken, None]:
        """Leave out each change without which a test passes again; then add what is left piece by piece."""
        working, broken = self._changes, self._broken
        for _ in range(MAX_SWEEPS):
            before = len(working)
            waiting = _halves(working)
            while waiting and broken:
                group = {*waiting.pop()}
                rest = [change for change in working if change not in group]
                now = yield rest
                # All tests are broken still, so what was left out is not to blame.
                if broken <= now:
                    continue
                if len(group) > 1:
                    waiting += _halves([change for change in working if change in group])
                else:
                    working, broken = rest, now
            if not broken or len(working) == before:
                break
        if broken:
            yield from self._add(working)

    def _add(self, changes: list[Change]) -> Generator[list[Change], Broken, None]:
        accepted: list[Change] = []
        waiting = _halves(changes)
        while waiting:
            group = waiting.pop()
            if not (yield accepted + group):
                accepted = accepted + group
            elif len(group) > 1:
                waiting += _halves(group)


def _halves(changes: list[Change]) -> list[list[Change]]:
    """Two halves, the first half last, since it is popped first; a single change stays whole."""
    middle = len(changes) // 2
    return [half for half in (changes[middle:], changes[:middle]) if half]


def leave_out_culprits(
    groups: Sequence[Sequence[Change]],
    find_broken: Callable[[list[Change]], Broken],
    max_runs: int,
) -> list[Change]:
    """A large part of the changes which, all together, break no test; empty where there is none.

    find_broken: runs the tests with these changes. It is called up to `max_runs` times while the groups
    are searched, and as often while their parts are joined: the result is a set that was run, or empty.
    """
    run_tests = _limit(find_broken, max_runs)
    changes = [change for group in groups for change in group]
    if not changes:
        return []
    searches: list[_GroupBisection[Change]] = []
    try:
        if not run_tests(changes):
            return changes
        searches.extend(_GroupBisection(group, run_tests(list(group))) for group in groups if group)
        while any(search.next is not None for search in searches):
            tried = [search.harmless if search.next is None else search.next for search in searches]
            broken = run_tests([change for part in tried for change in part])
            for search in searches:
                if search.next is not None:
                    search.answer(broken)
    except _Exhausted:
        pass  # what each group has shown to be harmless so far is taken
    return _join([search.harmless for search in searches], _limit(find_broken, max_runs))


def _limit(
    find_broken: Callable[[list[Change]], Broken], max_runs: int
) -> Callable[[list[Change]], Broken]:
    """`find_broken`, which raises _Exhausted where it is called more often."""
    runs = 0

    def run_within_limit(changes: list[Change]) -> Broken:
        nonlocal runs
        runs += 1
        if runs > max_runs:
            raise _Exhausted
        return find_broken(changes)

    return run_within_limit


def _join(parts: list[list[Change]], find_broken: Callable[[list[Change]], Broken]) -> list[Change]:
    """As many of the parts as break no test together, larger pieces first.

    A part may break tests that its group as a whole did not, which its search has not looked at: `abc` stays
    wrong without the `ab` that it is put together from.
    """
    accepted: list[Change] = []
    # The whole first: mostly nothing of the joined parts clashes, and a single run shows it.
    waiting = [[change for part in parts for change in part], *reversed(parts)]
    try:
        if not waiting[0] or not find_broken(waiting[0]):
            return waiting[0]
        waiting = waiting[1:]
        while waiting:
            group = waiting.pop()
            if group and not find_broken(accepted + group):
                accepted = accepted + group
            elif len(group) > 1:
                waiting += _halves(group)
    except _Exhausted:
        pass  # as above
    return accepted
