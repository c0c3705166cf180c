import random
import time

import pytest


@pytest.mark.parametrize("seed", [0, 1, 1700000000, "spring"])
def test_code_does_not_follow_from_a_known_seed(seed):
    random.seed(seed)
    first = make_coupon("spring")
    random.seed(seed)
    second = make_coupon("spring")
    assert first != second, "whoever knows the generator's seed can predict the codes"


def test_code_does_not_follow_from_the_generator_state():
    state = random.getstate()
    first = make_coupon("spring", groups=6)
    random.setstate(state)
    assert make_coupon("spring", groups=6) != first, "the state of a statistical generator gives the code away"


def test_code_does_not_follow_from_the_clock(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 1700000000.0)
    monkeypatch.setattr(time, "time_ns", lambda: 1700000000 * 10**9)
    codes = {make_coupon("spring") for _ in range(10)}
    assert len(codes) == 10, "codes made at the same moment must not repeat"


def test_batch_cannot_be_replayed():
    random.seed(99)
    first = make_batch("fall", 3)
    random.seed(99)
    assert not set(first) & set(make_batch("fall", 3)), "a batch can be made again by an outsider"


def test_codes_use_the_whole_alphabet():
    seen = set("".join(make_coupon("s").removeprefix("S-").replace("-", "") for _ in range(100)))
    assert len(seen) >= 28, f"only {len(seen)} different characters are drawn, so codes are easily guessed"
