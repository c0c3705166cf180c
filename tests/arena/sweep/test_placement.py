"""Where jobs go: rooms are never overfilled, images are met at home, faulty nodes are left alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.jobs import Capacity, Needs, Node, Stage, StageJob
from arena.store.model import AttemptKey
from arena.sweep.placement import LOOK, Placement


def job(number: int, needs: Needs, avoid: frozenset[str] = frozenset()) -> StageJob:
    return StageJob(f"a{number}", AttemptKey(f"t{number}", "gold"), Stage.GRADE, needs, avoid=avoid)


def test_a_job_goes_where_its_image_is() -> None:
    nodes = [Node("a", Capacity(2, 2)), Node("b", Capacity(2, 2), {"image"})]
    placement = Placement(nodes)
    assert placement.pick([job(1, Needs("image"))]) == (0, "b")


def test_of_waiting_jobs_the_one_whose_image_is_at_hand_goes_first() -> None:
    placement = Placement([Node("a", Capacity(1, 1), {"own"}), Node("b", Capacity(0, 0))])
    assert placement.pick([job(1, Needs("far")), job(2, Needs("own"))]) == (1, "a")


def test_a_node_stands_not_idle_for_an_image() -> None:
    nodes = [Node("a", Capacity(1, 1), {"image"}), Node("b", Capacity(1, 1))]
    placement = Placement(nodes)
    assert placement.pick([job(1, Needs("image"))]) == (0, "a")
    assert placement.pick([job(2, Needs("image"))]) == (0, "b")


def test_an_image_that_is_on_its_way_counts_as_at_hand() -> None:
    placement = Placement([Node("a", Capacity(5, 5)), Node("b", Capacity(5, 5))])
    first = placement.pick([job(1, Needs("image"))])
    again = placement.pick([job(2, Needs("image"))])
    assert first is not None and again is not None and first[1] == again[1]


def test_another_node_is_preferred_after_a_fault_even_without_the_image() -> None:
    nodes = [Node("a", Capacity(5, 5), {"image"}), Node("b", Capacity(5, 5))]
    placement = Placement(nodes)
    assert placement.pick([job(1, Needs("image"), frozenset({"a"}))]) == (0, "b")
    placement.lose("b")
    placement.join(Node("b", Capacity(1, 1)))
    assert placement.pick([job(2, Needs())]) == (0, "a")
    assert placement.pick([job(3, Needs(sandboxes=2), frozenset({"a"}))]) == (0, "a")
    assert placement.pick([job(4, Needs(), frozenset({"a"}))]) == (0, "b")
    assert placement.pick([job(5, Needs(), frozenset({"a"}))]) is None, "it waits for the other"
    placement.lose("b")
    assert placement.pick([job(1, Needs("image"), frozenset({"a"}))]) == (0, "a")


def test_memory_and_disk_are_rooms_where_they_are_told() -> None:
    placement = Placement([Node("a", Capacity(9, 9, memory=100))])
    needs = Needs(memory=60, disk=1 << 40)
    assert placement.pick([job(1, needs)]) is not None
    assert placement.pick([job(2, needs)]) is None


def test_what_no_node_could_take_is_told() -> None:
    placement = Placement([Node("a", Capacity(2, 1, memory=1 << 20))])
    assert placement.never(Needs(memory=1 << 20)) == ""
    assert "2 MiB of memory" in placement.never(Needs(memory=2 << 20))
    assert "no node has room" in placement.never(Needs(sandboxes=3))


NEEDS = st.builds(
    Needs,
    image=st.sampled_from(["", "x", "y", "z"]),
    sandboxes=st.integers(0, 3),
    builds=st.integers(0, 2),
    memory=st.integers(0, 50),
)
CAPACITY = st.builds(
    Capacity, sandboxes=st.integers(1, 4), builds=st.integers(1, 3), memory=st.integers(0, 100)
)


@given(
    st.lists(CAPACITY, min_size=1, max_size=4),
    st.lists(NEEDS, max_size=3 * LOOK),
    st.lists(st.booleans(), max_size=300),
)
def test_no_node_is_ever_overfilled_and_nothing_fits_that_is_left_waiting(
    capacities: list[Capacity], needs: list[Needs], leaving: list[bool]
) -> None:
    placement = Placement([Node(str(n), capacity) for n, capacity in enumerate(capacities)])
    waiting = [job(number, need) for number, need in enumerate(needs)]
    there: list[tuple[StageJob, str]] = []
    for leaves in [*leaving, *([False] * len(needs))]:
        if leaves and there:
            gone, node = there.pop()
            placement.leave(gone, node)
        found = placement.pick(waiting)
        if found is None:
            continue
        there.append((waiting.pop(found[0]), found[1]))
        for number, capacity in enumerate(capacities):
            used = [j.needs for j, node in there if node == str(number)]
            assert sum(n.sandboxes for n in used) <= capacity.sandboxes
            assert sum(n.builds for n in used) <= capacity.builds
            assert not capacity.memory or sum(n.memory for n in used) <= capacity.memory
    if not there and waiting:
        assert all(placement.never(j.needs) for j in waiting[:LOOK])


def test_a_full_node_takes_a_job_that_wants_no_sandbox() -> None:
    """Nodes without a spare sandbox are not looked at, but for such jobs."""
    placement = Placement([Node("a", Capacity(1, 1))])
    assert placement.pick([job(1, Needs())]) == (0, "a")
    assert placement.pick([job(2, Needs()), job(3, Needs(sandboxes=0))]) == (1, "a")
