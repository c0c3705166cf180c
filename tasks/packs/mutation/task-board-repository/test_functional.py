import sqlite3

import pytest


@pytest.fixture
def board():
    board = TaskBoard(sqlite3.connect(":memory:"))
    board.add("paint the fence", ["garden", "summer"])
    board.add("mow the lawn", ["garden"])
    board.add("call the bank")
    return board


def ids(tasks):
    return [task.id for task in tasks]


def test_add_and_get(board):
    task = board.add("feed the cat")
    assert task == Task(4, "feed the cat", "open", None, 0), "a new task"
    assert board.get(4) == task and board.get(99) is None, "it is found by number"


def test_update(board):
    assert board.update(2, state="done", owner="kim", points=3) == Task(2, "mow the lawn", "done", "kim", 3), "changed"
    with pytest.raises(LookupError):
        board.update(99, state="done")
    with pytest.raises(ValueError):
        board.update(2)


def test_tagged_and_search(board):
    assert ids(board.tagged("garden")) == [1, 2] and ids(board.tagged("summer", "winter")) == [1], "by tag"
    assert ids(board.search("the ba")) == [3], "by text"


def test_owned_and_counts(board):
    board.update(1, owner="kim")
    board.update(2, owner="kim", state="done")
    assert ids(board.owned("kim")) == [1, 2] and ids(board.owned("kim", ["done"])) == [2], "by owner and state"
    assert board.count_by("state") == {"open": 2, "done": 1}, "counts of states"
    assert board.count_by("owner") == {"kim": 2, None: 1}, "counts of owners"


def test_remove(board):
    assert board.remove([1, 3, 50]) == 2, "two were there"
    assert ids(board.search("")) == [2] and board.tagged("summer") == [], "with their tags"
