import pytest


@pytest.fixture
def registry():
    return Registry(":memory:")


def test_owner_works_with_samples(registry):
    project = registry.add_project("Meadow", "ada")
    first = registry.add_sample("ada", project, "north", 12.5)
    registry.add_sample("ada", project, "south", 3)
    assert registry.sample("ada", first) == Sample(first, project, "north", 12.5), "one sample"
    assert [s.place for s in registry.samples("ada", project)] == ["north", "south"], "both in order"
    assert registry.discard("ada", first) == first and len(registry.samples("ada", project)) == 1, "one is left"


def test_members(registry):
    project = registry.add_project("Meadow", "ada")
    assert registry.share("ada", project, "bob", can_edit=True) is True, "bob may edit"
    sample = registry.add_sample("bob", project, "west", 1)
    assert registry.share("ada", project, "cy") is False, "cy may read"
    assert registry.sample("cy", sample).place == "west", "and does"
    assert registry.unshare("ada", project, "cy") and not registry.unshare("ada", project, "cy"), "cy is gone"


def test_projects(registry):
    registry.add_project("Meadow", "ada")
    registry.share("bob", registry.add_project("Forest", "bob"), "ada")
    assert registry.projects("ada") == ["Forest", "Meadow"] and registry.projects("cy") == [], "owned and shared"


def test_wrong_calls(registry):
    project = registry.add_project("Meadow", "ada")
    for call, error in ((lambda: registry.samples("ada", 50), LookupError), (lambda: registry.sample("ada", 50), LookupError),
                        (lambda: registry.add_sample("ada", project, "x", -1), ValueError)):
        with pytest.raises(error):
            call()
