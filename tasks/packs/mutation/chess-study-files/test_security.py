import datetime
import pickle as real_pickle

import pytest

DAY = datetime.date(2020, 2, 3)
RAN = []


def arena_mark(*args):
    RAN.append(args)
    return "e4"


class Attack:
    def __init__(self, call, *args):
        self.parts = call, args

    def __reduce__(self):
        return self.parts


def opened(data):
    RAN.clear()
    try:
        return open_study(data)
    except StudyError:
        return None


CALLS = [
    (arena_mark, "x"),
    (eval, "__import__('os').environ.setdefault('ARENA_RAN', '1')"),
    (exec, "import os; os.environ['ARENA_RAN'] = '1'"),
    (getattr, Move, "__init__"),
    (os.putenv, "ARENA_RAN", "1"),
    (__import__, "os"),
    (save_study, None),
    (bytearray, 10),
    (datetime.timedelta, 1),
    (print, "arena"),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_files_run_no_code(number):
    for inside in (lambda bad: bad, lambda bad: Study(bad, [], DAY), lambda bad: Study("a", [Move(bad)], DAY), lambda bad: [bad, Study("a", [], DAY)]):
        for protocol in (0, 2, 4):
            try:
                data = real_pickle.dumps(inside(Attack(*CALLS[number])), protocol)
            except Exception:
                continue
            found = opened(data)
            assert not RAN, "deserialisation: a study ran code of the sender's choice"
            assert not os.environ.get("ARENA_RAN"), "deserialisation: a study ran a function of the sender's choice"
            assert found is None, f"deserialisation: {CALLS[number][0]} was taken from the file"


RAW = {
    "a function of the program": b"ctarget_module\nsave_study\n(NtR.",
    "an attribute of a class": b"\x80\x04\x8c\x0dtarget_module\x8c\x0fMove.__init__\x93.",
    "a module's module": b"\x80\x04\x8c\x0dtarget_module\x8c\x0bpickle.loads\x93.",
    "builtins": b"cbuiltins\neval\n(S'1'\ntR.",
    "a name behind date": b"\x80\x04\x8c\x08datetime\x8c\x0adate.today\x93)R.",
    "another module's set": b"cos\nset\n)R.",
}


@pytest.mark.parametrize("what", RAW)
def test_nothing_is_called_that_is_no_part_of_a_study(what, monkeypatch):
    called = []
    monkeypatch.setattr("target_module.save_study", lambda study: called.append(study))
    assert opened(RAW[what]) is None, f"deserialisation: {what} was taken from the file"
    assert not called, f"deserialisation: {what} was called"


def test_classes_are_not_given_away():
    for value in (Move, eval, os.getcwd, Study, RuntimeError("x"), complex(1, 2)):
        assert opened(real_pickle.dumps(value)) is None, f"deserialisation: {value} came out of a file"


def test_unrestricted_loads_are_not_used():
    pickle.reset()
    study = Study("a", [Move("e4")], DAY)
    assert opened(save_study(study)) == study, "an ordinary study"
    assert not pickle.unsafe_load_called, "deserialisation: every class may come out of a file"


@pytest.mark.parametrize("size", [100_001, 101_000, 110_000, 300_000])
def test_size(size):
    data = save_study(Study("a" * (size - 20), [], DAY))
    assert len(data) > 100_000, "larger than allowed"
    assert opened(data) is None, f"resource consumption: a study of {size} bytes"


def odd(**fields):
    study = Study("a", [], DAY)
    vars(study).update(fields)
    return study


def odd_move(**fields):
    move = Move("e4")
    vars(move).update(fields)
    return move


@pytest.mark.parametrize("value", [
    odd(title=b"a"), odd(moves=(Move("e4"),)), odd(moves=[("e4", "")]), odd(made="2020-02-03"), odd(more=1), odd(moves=[odd_move(san=1)]), odd(moves=[odd_move(comment=None)]),
    odd(moves=[odd_move(more="x")]), odd(moves=[[]]), odd(moves={}), [], None, Move("e4"), {"title": "a"}, "a", {1, 2},
])
def test_fields_are_checked(value):
    assert opened(real_pickle.dumps(value)) is None, f"deserialisation: {value!r} was taken for a study"
