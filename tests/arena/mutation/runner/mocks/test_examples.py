"""Every substitute does and tells what its examples say."""

from __future__ import annotations

import pytest

from arena.tracks.mutation.runner.events import KINDS
from arena.tracks.mutation.runner.mocks._example import MockExample
from parsers import registry
from tests.arena.mutation.runner.mocks.inprocess import PACKAGE, Place

CASES = [
    pytest.param(example, id=f"{name}-{number}")
    for name in registry.names(PACKAGE)
    for number, example in enumerate(registry.module(PACKAGE, name).EXAMPLES)
]


@pytest.mark.slow
@pytest.mark.parametrize("example", CASES)
def test_example(example: MockExample, place: Place) -> None:
    names = place.load(example.program)
    place.log.clear()
    if example.raises:
        with pytest.raises(BaseException) as caught:
            place.look(example.call, names)
        assert type(caught.value).__name__ == example.raises, caught.value
    else:
        result = place.look(example.call, names)
        assert example.result is ... or result == example.result
    kinds = set(place.log.kinds)
    assert set(example.events) <= kinds, place.log.events
    assert not set(example.absent) & kinds, place.log.events
    assert kinds <= set(KINDS)
    seen = {look: place.look(look, names) for look in example.state}
    assert seen == dict(example.state)


@pytest.mark.parametrize("name", registry.names(PACKAGE))
def test_every_substitute_has_examples(name: str) -> None:
    assert registry.module(PACKAGE, name).EXAMPLES
