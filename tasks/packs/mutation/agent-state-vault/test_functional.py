import os

import pytest


@pytest.fixture
def vault(tmp_path):
    return StateVault(str(tmp_path / "a" / "state"), keep=2)


def test_newest_is_loaded(vault):
    assert vault.save("disk", {"free": 1}) == 1, "the first generation"
    assert vault.save("disk", {"free": 2}) == 2, "the second one"
    assert vault.load("disk") == {"free": 2} and vault.load("disk", 1) == {"free": 1}, "newest and older"


def test_old_generations_go(vault):
    for free in range(5):
        vault.save("disk", {"free": free})
    vault.save("disk-2", {})
    assert vault.generations("disk") == [4, 5], "the newest two stay"
    with pytest.raises(KeyError):
        vault.load("disk", 3)


def test_restore(vault):
    vault.save("disk", {"free": 1})
    vault.save("disk", {"free": 2})
    assert vault.restore("disk", 1) == 3 and vault.load("disk") == {"free": 1}, "an older state is the newest"


def test_failed_save_leaves_nothing(vault):
    vault.save("disk", {"free": 1})
    with pytest.raises(TypeError):
        vault.save("disk", {"bad": object()})
    assert os.listdir(vault.folder) == ["disk.1.json"], "no temporary file, no new generation"


@pytest.mark.parametrize("name", ["", "a.b", "../x", "a/b"])
def test_bad_names(vault, name):
    for call in (vault.load, vault.generations):
        with pytest.raises(ValueError):
            call(name)


def test_keep(tmp_path):
    with pytest.raises(ValueError):
        StateVault(str(tmp_path), keep=0)
