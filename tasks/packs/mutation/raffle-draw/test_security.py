import importlib
import random

import pytest
import target_module

ENTRIES = {f"person{i:03}": 1 + i % 5 for i in range(200)}


@pytest.mark.parametrize("seed", [0, 42, "2024-05-01"])
def test_draw_cannot_be_repeated_from_a_seed(seed):
    random.seed(seed)
    first = draw_winners(ENTRIES, 8)
    random.seed(seed)
    second = draw_winners(ENTRIES, 8)
    assert first != second, "who knows the seed knows the winners"


def test_draw_cannot_be_repeated_from_a_state():
    state = random.getstate()
    first = draw_winners(ENTRIES, 8)
    random.setstate(state)
    assert draw_winners(ENTRIES, 8) != first, "the state of the generator tells the winners"


def test_seeding_beforehand_does_not_choose_the_winner():
    outcomes = set()
    for _ in range(6):
        random.seed("bribe")
        outcomes.add(tuple(draw_winners(ENTRIES, 3)))
    assert len(outcomes) > 1, "a participant who seeds the generator chooses the winner"


def test_draws_differ_after_a_restart():
    def first_draw():
        random.seed(5)
        importlib.reload(target_module)
        return target_module.draw_winners(ENTRIES, 10)

    assert first_draw() != first_draw(), "the program begins the same sequence at each start"


def test_restart_with_known_state_gives_other_winners(monkeypatch):
    plain_seed = random.Random.__mro__[1].seed
    monkeypatch.setattr(random.Random, "seed", lambda self, *a, **k: plain_seed(self, 1))

    def first_draw():
        random.seed(1)
        importlib.reload(target_module)
        return target_module.draw_winners(ENTRIES, 10)

    first = first_draw()
    assert first_draw() != first, "the winners come from a generator whose state can be recovered"
