"""Properties of a proof over random histories and random behaviour."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from szz.proof.bisect import MAX_BLIND_PROBES
from szz.proof.probe import next_probe
from szz.proof.result import Proof
from szz.proof.witness import BuildBudget
from tests.szz.synthetic import BUG, Graph, World, flip_at, log2, name, number

AMPLE = BuildBudget(1000)


@st.composite
def graphs(draw: st.DrawFn, most: int = 24) -> Graph:
    """Random parents, so: forks, merges, octopuses, criss-cross and several roots."""
    parents: list[list[int]] = [[]]
    for n in range(1, draw(st.integers(3, most))):
        near = st.integers(max(0, n - 5), n - 1)
        parents.append(draw(st.lists(near, min_size=0 if n > 3 else 1, max_size=3, unique=True)))
    parents.append([len(parents) - 1])
    return Graph(parents)


def one_flip(proof: Proof, graph: Graph, commit: str) -> bool:
    return graph.is_ancestor(proof.vic or "", commit) and not graph.is_ancestor(
        proof.vfc or "", commit
    )


@given(st.data())
def test_the_true_flip_of_a_line_is_found_within_the_bound(data: st.DataObject) -> None:
    length = data.draw(st.integers(2, 3000))
    vic = data.draw(st.integers(1, length - 1))
    candidates = data.draw(st.lists(st.integers(0, length - 1), max_size=1))
    world = flip_at(vic, length)
    proof = world.prove([length], candidates, data.draw(st.sampled_from([None, BUG])))
    assert (proof.vic, proof.confirmed, proof.monotone) == (name(vic), True, True)
    assert len(world.asked) <= 2 + log2(length) + 2 * len(candidates)
    assert proof.how == ("b-szz" if candidates == [vic] else "bisect")
    if candidates == [vic]:
        assert len(world.asked) == 3


@given(graphs(), st.data())
def test_the_true_flip_of_any_history_is_found(graph: Graph, data: st.DataObject) -> None:
    fix = len(graph.edges) - 1
    inside = [
        n for n in range(fix) if graph.is_ancestor(name(n), name(fix)) and graph.parents(name(n))
    ]
    if not inside:
        return
    vic = data.draw(st.sampled_from(inside))
    truth = [
        "X" if graph.is_ancestor(name(vic), name(n)) and n < fix else "C" for n in range(fix + 1)
    ]
    candidates = data.draw(st.lists(st.integers(0, fix), max_size=4, unique=True))
    proof = World(graph, truth.__getitem__).prove([fix], candidates, budget=AMPLE)
    assert proof.confirmed and proof.monotone
    if proof.how == "b-szz":  # a merge is taken at its word
        assert number(proof.vic or "") in candidates
        assert proof.vic == name(vic) or len(graph.parents(proof.vic or "")) > 1
    else:
        assert proof.vic == name(vic)


@given(graphs(), st.data())
def test_whatever_the_commits_do_a_proof_keeps_its_word(graph: Graph, data: st.DataObject) -> None:
    count = len(graph.edges)
    letters = data.draw(st.text("CCCXXXXOBU", min_size=count, max_size=count))
    numbers = st.lists(st.integers(0, count), max_size=4)
    world = World(graph, letters.__getitem__)
    stated = data.draw(st.sampled_from([None, BUG]))
    options = {
        "neighbours": data.draw(st.booleans()),
        "budget": BuildBudget(data.draw(st.integers(0, 30))),
    }
    proof = world.prove(data.draw(numbers), data.draw(numbers), stated, **options)
    assert len(proof.runs) <= options["budget"].builds
    if proof.confirmed and proof.same_signature == "yes":
        crashes = {letters[number(run.commit)] for run in proof.runs if run.commit == proof.vic}
        others = [run for run in proof.runs if run.state != "clean" and run.state != "crash"]
        wanted = crashes.pop()
        facts = [(run, letters[number(run.commit)]) for run in proof.runs if run not in others]
        told = [(run.commit, letter == wanted) for run, letter in facts if letter in ("C", wanted)]
        assert proof.monotone == all(crash == one_flip(proof, graph, c) for c, crash in told)


@given(st.data())
def test_broken_commits_hide_no_flip_that_touches(data: st.DataObject) -> None:
    """With as many probes as it likes a search finds a flip whose two sides build."""
    length = data.draw(st.integers(3, MAX_BLIND_PROBES))
    vic = data.draw(st.integers(1, length - 1))
    broken = data.draw(st.sets(st.integers(0, length - 2))) - {vic, vic - 1}
    truth = flip_at(vic, length)
    world = World(truth.graph, lambda n: "BU"[n % 2] if n in broken else truth.does(n))
    proof = world.prove([length], budget=AMPLE)
    assert (proof.vic, proof.confirmed) == (name(vic), True)


@given(st.data())
def test_a_resumed_proof_is_the_whole_one(data: st.DataObject) -> None:
    letters = data.draw(st.text("CCXXOBU", min_size=3, max_size=40)) + "C"
    fix = len(letters) - 1
    candidates = data.draw(st.lists(st.integers(0, fix), max_size=3))
    options = {"budget": BuildBudget(data.draw(st.integers(1, 40)))}

    def world() -> World:
        return World(Graph([[n - 1] if n else [] for n in range(fix + 1)]), letters.__getitem__)

    whole = world().prove([fix], candidates, **options)
    known = {run.commit: run for run in whole.runs[: data.draw(st.integers(0, len(whole.runs)))]}
    resumed = world()
    assert resumed.prove([fix], candidates, earlier=known, **options) == whole
    assert not {name(n) for n in resumed.asked} & known.keys()


@given(st.integers(-1, 50), st.integers(1, 400), st.data())
def test_a_probe_is_new_and_between(low: int, width: int, data: st.DataObject) -> None:
    high = low + width
    between = set(range(low + 1, high))
    blind = data.draw(st.sets(st.sampled_from(sorted(between)))) if between else set()
    place = next_probe(low, high, blind)
    assert place in between - blind if between - blind else place is None
    if not blind and between:
        assert place == (low + high) // 2
