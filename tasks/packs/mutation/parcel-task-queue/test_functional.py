import json

import pytest


def test_tasks_come_back():
    for sent in (Weigh("p1", 3), Label("p1", "Elm 4", "Bath"), Batch([Weigh("p1", 3), Label("p2", "a", "b")])):
        assert decode(encode(sent)) == sent, f"{sent} came back otherwise"
    assert json.loads(encode(Weigh("p1", 3))) == {"task": "Weigh", "fields": {"parcel": "p1", "scale": 3}}, "the form"


def test_queue():
    queue = TaskQueue(limit=2)
    assert queue.pop() is None, "nothing waits"
    assert queue.push(encode(Weigh("a", 1))) == 1 and queue.push(encode(Weigh("b", 1))) == 2, "how many wait"
    with pytest.raises(QueueError):
        queue.push(encode(Weigh("c", 1)))
    assert queue.pop() == Weigh("a", 1), "the one that waits longest"


def test_own_tasks():
    @task
    class Weld:
        part: str

    assert decode(b'{"task": "Weld", "fields": {"part": "lid"}}').part == "lid", "a class of one's own"


@pytest.mark.parametrize("data", [b"", b"weigh", b"[]", b'{"task": "Weigh"}', b'{"task": "Lift", "fields": {}}', b'{"task": "Weigh", "fields": {"parcel": "a"}}'])
def test_bad_messages(data):
    with pytest.raises(QueueError):
        decode(data)
