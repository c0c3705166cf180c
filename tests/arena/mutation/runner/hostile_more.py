"""More hostile modules: against the runner by other ways, hostile objects, and the host's resources."""

from __future__ import annotations

FINISHED, DIED, TIMEOUT, UNCOLLECTED, ANY = "finished", "died", "timeout", "uncollected", "any"
WRONG = "\ndef test_wrong():\n    assert add(1, 2) == 3\n"

MORE: tuple[tuple[str, str, str], ...] = (
    (
        "enum_member",
        DIED,
        "import sys\nsys.modules['arena.tracks.mutation.runner.facts'].EndOfTest.FAILED._value_ = 'passed'\n"
        + WRONG,
    ),
    (
        "attribute_added",
        DIED,
        "import sys\nm = sys.modules['arena.tracks.mutation.runner.suite']\n"
        "m.SuiteEnded.outcome = property(lambda s: m.EndOfTest.PASSED, lambda s, v: None)\n"
        + WRONG,
    ),
    (
        "builtin_shadowed",
        DIED,
        "import sys\nsys.modules['arena.tracks.mutation.runner.suite'].next = lambda *a: None\n"
        "class TestA:\n    def test_wrong(self): assert False\n",
    ),
    (
        "pytest_shadowed",
        DIED,
        "import _pytest.runner as p\np.isinstance = lambda *a: False\n"
        "class TestA:\n    def test_wrong(self): assert False\n",
    ),
    (
        "value_replaced",
        DIED,
        "import sys\nm = sys.modules['arena.tracks.mutation.runner.suite']\n"
        "m._TRACE = lambda e: setattr(m.EndOfTest.FAILED, '_value_', 'passed')\n" + WRONG,
    ),
    (
        "differs_replaced",
        DIED,
        "import sys\nm = sys.modules['arena.tracks.mutation.runner.integrity']\n"
        "m._differs.__code__ = (lambda picture: '').__code__\n"
        "sys.modules['arena.tracks.mutation.runner.suite']._SKIPS = ()\n" + WRONG,
    ),
    (
        "trace_into_runner",
        FINISHED,
        "import sys\n"
        "def t(f, e, a):\n"
        "    if f.f_code.co_name in ('_ended', '_raised', '_tell'):\n"
        "        for v in list(f.f_locals.values()):\n"
        "            if type(v).__name__ == 'SuiteEnded':\n"
        "                v.outcome = sys.modules['arena.tracks.mutation.runner.facts'].EndOfTest.PASSED\n"
        "    return t\n"
        "def test_wrong():\n    sys.settrace(t)\n    f = sys._getframe()\n"
        "    while f:\n        f.f_trace = t\n        f = f.f_back\n    assert False\n",
    ),
    (
        "told_before",
        DIED,
        "import sys, json\ndef test_wrong():\n    f = sys._getframe()\n"
        "    while 'send' not in f.f_locals: f = f.f_back\n"
        "    f.f_locals['send'](b'T', json.dumps({'name': 'test_wrong', 'outcome': 'passed'}).encode())\n"
        "    assert False\n",
    ),
    (
        "items_cleared",
        ANY,
        "import pytest\n@pytest.fixture(autouse=True)\ndef f(request): request.session.items.clear()\n"
        "def test_a(): pass\ndef test_wrong(): assert False\n",
    ),
    (
        "nested_groups",
        FINISHED,
        "def test_wrong():\n    e = ExceptionGroup('x', [ValueError(1)])\n"
        "    for _ in range(1000): e = ExceptionGroup('x', [e])\n    raise e\n",
    ),
    (
        "cause_of_itself",
        FINISHED,
        "def test_wrong():\n    try: raise ValueError\n    except ValueError as e:\n"
        "        e.__cause__ = e.__context__ = e\n        raise\n",
    ),
    (
        "own_mro",
        FINISHED,
        "class M(type):\n    def mro(c): return [c, BaseException, object]\n"
        "class E(BaseException, metaclass=M): pass\ndef test_wrong(): raise E\n",
    ),
    (
        "endless_equality",
        TIMEOUT,
        "class A:\n    def __eq__(s, o):\n        while True: pass\ndef test_wrong(): assert A() == 1\n",
    ),
    (
        "endless_fixture_end",
        TIMEOUT,
        "import pytest\n@pytest.fixture\ndef f():\n    yield 1\n    while True: pass\ndef test_wrong(f): assert False\n",
    ),
    ("huge_name", ANY, "def f(): assert False\nglobals()['test_wrong' + 'a' * 3000000] = f\n"),
    ("surrogate_name", FINISHED, "def f(): assert False\nglobals()['test_wrong\\ud800'] = f\n"),
    ("exit_at_tear_down", ANY, "import os\ndef teardown_module(m): os._exit(0)\n" + WRONG),
    ("atexit_hangs", FINISHED, "import atexit, time\natexit.register(time.sleep, 60)\n" + WRONG),
    (
        "end_hangs",
        FINISHED,
        "import sys\nclass A:\n    def __del__(s):\n        while True: pass\nsys.keep = A()\n"
        + WRONG,
    ),
    (
        "deep_argument",
        FINISHED,
        "def test_wrong():\n    x = []\n    for _ in range(100000): x = [x]\n"
        "    try: add(x, 1)\n    except TypeError: pass\n    assert False\n",
    ),
    (
        "endless_generator",
        ANY,
        "import itertools\ndef test_wrong():\n    for x in itertools.count(): add(x, x)\n",
    ),
    (
        "socket_families",
        FINISHED,
        "import _socket\ndef test_wrong():\n    got = []\n    for f in range(64):\n        for t in (1, 2, 3, 5):\n"
        "            try: _socket.socket(f, t)\n            except OSError: continue\n            got.append(f)\n"
        "    assert set(got) - {1}\n",
    ),
    (
        "unix_sockets_of_host",
        FINISHED,
        "import _socket\ndef test_wrong():\n    s, got = _socket.socket(1, 1), []\n"
        "    for n in (b'\\0/tmp/.X11-unix/X0', '/var/run/docker.sock', '/run/dbus/system_bus_socket'):\n"
        "        try: s.connect(n)\n        except OSError: continue\n        got.append(n)\n    assert got\n",
    ),
    (
        "shm_filled",
        FINISHED,
        "def test_wrong():\n    for i in range(200):\n        with open(f'/dev/shm/r{i}', 'wb') as f: f.write(bytes(1 << 20))\n",
    ),
    (
        "pipes_filled",
        FINISHED,
        "import os\ndef test_wrong():\n    n = 0\n    for i in range(200):\n        r, w = os.pipe(); os.set_blocking(w, False)\n"
        "        try:\n            while True: n += os.write(w, bytes(65536))\n        except BlockingIOError: pass\n",
    ),
    (
        "real_time_priority",
        FINISHED,
        "import os\ndef test_wrong():\n    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))\n",
    ),
)
