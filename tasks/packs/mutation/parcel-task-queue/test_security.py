import json
import pickle as real_pickle

import pytest

RAN = []


def arena_mark(**fields):
    RAN.append(fields)


class Attack:
    def __reduce__(self):
        return RAN.append, ("pickle",)


def message(name, fields=None):
    return json.dumps({"task": name, "fields": {} if fields is None else fields}).encode()


def refused(data):
    RAN.clear()
    queue = TaskQueue()
    try:
        queue.push(data)
    except QueueError:
        return not RAN and queue.pop() is None
    except Exception:
        return False
    return False


NAMES = [
    "os.getcwd", "collections.OrderedDict", "subprocess.Popen", "builtins.dict", "dict", "eval", "QueueError", "TaskQueue", "encode", "target_module.Weigh", "target_module.TaskQueue",
    "test_generated.arena_mark", "object", "weigh", "Weigh ", "Weig", "W", "", "Weigh.__init__", "TASKS", "datetime.timedelta", "types.SimpleNamespace",
]


@pytest.mark.parametrize("name", NAMES)
def test_other_classes_are_not_made(name):
    for fields in ({}, {"parcel": "a", "scale": 1}, {"limit": 3}):
        assert refused(message(name, fields)), f"deserialisation: {name} was made from a message"
        inside = {"tasks": [{"task": name, "fields": fields}]}
        assert refused(message("Batch", inside)), f"deserialisation: {name} was made within a batch"


def test_names_are_texts():
    for name in (None, 1, ["Weigh"], {"a": 1}, True):
        assert refused(message(name)), f"deserialisation: {name!r} was taken for a class"


@pytest.mark.parametrize("fields", [
    {"parcel": "a"}, {"parcel": "a", "scale": 1, "more": 1}, {"parcel": 1, "scale": 1}, {"parcel": "a", "scale": "1"}, {"parcel": "a", "scale": True}, {"parcel": "a", "scale": 1.0},
    {"parcel": ["a"], "scale": 1}, {"parcel": {"task": "Weigh", "fields": {}}, "scale": 1}, {"parcel": None, "scale": 1}, [], None, "x", {"parcel": "a", "scale": 1, "__class__": "x"}, {"parcel": "a" * 201, "scale": 1}, {"parcel": "a" * 2001, "scale": 1},
])
def test_fields_are_checked(fields):
    data = json.dumps({"task": "Weigh", "fields": fields}).encode()
    assert refused(data), f"deserialisation: {str(fields)[:60]} was taken for the fields of a task"


@pytest.mark.parametrize("whole", [{}, {"task": "Weigh"}, {"fields": {}}, {"task": "Weigh", "fields": {"parcel": "a", "scale": 1}, "__class__": "os.system"}, [], None, "Weigh", 3])
def test_form_of_a_message(whole):
    assert refused(json.dumps(whole).encode()), f"deserialisation: {whole} was taken for a message"


@pytest.mark.parametrize("data", [real_pickle.dumps(Attack()), real_pickle.dumps(Attack(), 0), b"!!python/object/apply:os.getcwd []", b"{task: Weigh, fields: {parcel: a, scale: 1}}", b"{'task': 'Weigh', 'fields': {'parcel': 'a', 'scale': 1}}", b"Weigh('a', 1)", b"\xff\xfe", b"[" * 40_000])
def test_other_formats(data):
    pickle.reset()
    yaml.reset()
    assert refused(data), f"deserialisation: {data[:40]!r} was read"
    assert not pickle.unsafe_load_called and not yaml.unsafe_load_called, "deserialisation: a message was loaded with objects"


def test_sizes():
    weigh = {"task": "Weigh", "fields": {"parcel": "a", "scale": 1}}
    for count in (101, 110, 400, 1001):
        assert refused(message("Batch", {"tasks": [weigh] * count})), f"a batch of {count} tasks was taken"
    for size in (50_001, 51_000, 55_001, 501_000):
        data = message("Weigh", {"parcel": "a", "scale": 1})
        assert refused(data + b" " * (size - len(data))), f"a message of {size} bytes was taken"
    batch = {"task": "Batch", "fields": {"tasks": [weigh]}}
    assert refused(message("Batch", {"tasks": [batch]})), "a batch within a batch was taken"
    assert decode(message("Batch", {"tasks": [weigh] * 100})), "100 tasks are fine"


def test_messages_are_data():
    pickle.reset()
    assert json.loads(encode(Weigh("a", 1)))["task"] == "Weigh", "deserialisation: messages are not plain JSON"
    assert decode(encode(Weigh("a", 1))) == Weigh("a", 1), "an ordinary message"
    assert not pickle.unsafe_load_called, "deserialisation: messages are unpickled"
