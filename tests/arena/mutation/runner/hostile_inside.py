"""Hostile modules against the runner, pytest and the interpreter."""

from __future__ import annotations

from tests.arena.mutation.runner.hostile_more import (
    ANY,
    DIED,
    FINISHED,
    TIMEOUT,
    UNCOLLECTED,
    WRONG,
)

INSIDE: tuple[tuple[str, str, str], ...] = (
    (
        "os_write",
        FINISHED,
        "import os, posix\nos.write = posix.write = lambda fd, data: len(data)\nos.getpid = lambda: 1\n"
        + WRONG,
    ),
    ("os_exit_patched", FINISHED, "import os\nos._exit = lambda *a: None\n" + WRONG),
    (
        "time_patched",
        FINISHED,
        "import time\ntime.time = time.monotonic = time.perf_counter = lambda: 1 / 0\n" + WRONG,
    ),
    (
        "import_patched",
        FINISHED,
        "import builtins\nbuiltins.__import__ = lambda *a, **k: None\n" + WRONG,
    ),
    (
        "modules_cleared",
        FINISHED,
        "import sys\nfor n in list(sys.modules):\n    if n not in ('sys', 'builtins'): del sys.modules[n]\n"
        + WRONG,
    ),
    (
        "modules_replaced",
        FINISHED,
        "import sys\nfor n in list(sys.modules):\n    if 'arena' in n or 'testbed' in n or n.startswith('_pytest'): sys.modules[n] = None\n"
        + WRONG,
    ),
    (
        "settrace",
        FINISHED,
        "import sys\ndef t(f, e, a): return t\nsys.settrace(t); sys.setprofile(t)\n" + WRONG,
    ),
    (
        "trace_changes_line",
        FINISHED,
        "import sys\ndef t(f, e, a):\n    if f.f_code.co_name == 'test_wrong' and e == 'line': raise SystemExit(0)\n    return t\nsys.settrace(t)\n"
        + WRONG,
    ),
    (
        "excepthook",
        FINISHED,
        "import sys\nsys.excepthook = lambda *a: None\nsys.unraisablehook = lambda *a: None\n"
        + WRONG,
    ),
    (
        "audit_flood",
        FINISHED,
        "import sys\nfor i in range(20000): sys.audit('open', 'x' * 100, 'r', 0)\n" + WRONG,
    ),
    (
        "audit_refuses",
        ANY,
        "import sys\ndef no(*a): raise RuntimeError('no')\nsys.addaudithook(no)\n" + WRONG,
    ),
    (
        "faulthandler",
        ANY,
        "import faulthandler\nfaulthandler.dump_traceback_later(0.05, exit=True)\nimport time; time.sleep(.2)\n"
        + WRONG,
    ),
    (
        "gc_hunt",
        FINISHED,
        "import gc\nfor o in gc.get_objects():\n    try:\n        if isinstance(o, dict) and 'outcome' in o: o['outcome'] = 'passed'\n    except Exception: pass\n"
        + WRONG,
    ),
    (
        "gc_callbacks",
        FINISHED,
        "import gc\ngc.callbacks.append(lambda *a: 1 / 0)\ngc.set_threshold(1)\n" + WRONG,
    ),
    (
        "frame_walk",
        FINISHED,
        "import sys\ndef test_wrong():\n    f = sys._getframe()\n    while f:\n        for v in list(f.f_locals.values()):\n            try: v.outcome = 'passed'\n            except Exception: pass\n        f = f.f_back\n    assert False\n",
    ),
    (
        "frame_clear",
        FINISHED,
        "import sys\ndef test_wrong():\n    f = sys._getframe().f_back\n    while f:\n        f.f_globals.setdefault('x', 1)\n        f = f.f_back\n    assert False\n",
    ),
    (
        "patch_runner",
        DIED,
        "import sys\nfor n, m in list(sys.modules.items()):\n    if n.startswith('arena.tracks.mutation.runner') and m:\n        for k in list(vars(m)):\n            if k.startswith(('run_', '_decided', '_raised', '_call', '_caught')): setattr(m, k, lambda *a: None)\n"
        + WRONG,
    ),
    (
        "patch_code",
        DIED,
        "import sys\nm = sys.modules.get('arena.tracks.mutation.runner.suite')\ndef ok(item): return None\nm._call.__code__ = ok.__code__\n"
        + WRONG,
    ),
    (
        "patch_integrity",
        DIED,
        "import sys\nm = sys.modules['arena.tracks.mutation.runner.integrity']\nm.Integrity.altered = lambda *a, **k: ''\nsys.modules['arena.tracks.mutation.runner.suite']._call = lambda i: None\n"
        + WRONG,
    ),
    (
        "patch_log",
        DIED,
        "import sys\nsys.modules['arena.tracks.mutation.runner.log'].RunLog.event = lambda *a: None\n"
        + WRONG,
    ),
    (
        "patch_pytest",
        DIED,
        "import _pytest.python as p\np.Function.runtest = lambda self: None\nclass TestA:\n    def test_wrong(self): assert False\n",
    ),
    (
        "patch_pyfunc_call",
        ANY,
        "import _pytest.python as p\np.pytest_pyfunc_call = lambda pyfuncitem: True\nclass TestA:\n    def test_wrong(self): assert False\n",
    ),
    (
        "patch_unittest",
        DIED,
        "import unittest\nunittest.TestCase.run = unittest.TestCase.__call__ = lambda *a, **k: None\nclass TestA(unittest.TestCase):\n    def test_wrong(self): assert False\n",
    ),
    (
        "patch_raises",
        FINISHED,
        "import pytest, contextlib\n\ndef test_wrong():\n    with pytest.raises(ValueError): add(1, 2)\n",
    ),
    (
        "register_plugin",
        DIED,
        "import pytest\nclass P:\n    def pytest_pyfunc_call(self, pyfuncitem): return True\n@pytest.fixture(autouse=True, scope='module')\ndef f(request): request.config.pluginmanager.register(P())\ndef test_wrong(): assert False\n",
    ),
    (
        "plugins_name",
        UNCOLLECTED,
        "pytest_plugins = ['test_generated']\ndef pytest_pyfunc_call(pyfuncitem): return True\n"
        + WRONG,
    ),
    (
        "hook_in_module",
        FINISHED,
        "def pytest_pyfunc_call(pyfuncitem): return True\ndef pytest_runtest_makereport(item, call): return None\n"
        + WRONG,
    ),
    ("generate_no_tests", UNCOLLECTED, "def pytest_collection_modifyitems(items): items.clear()\n"),
    (
        "rewritten_names",
        FINISHED,
        "import builtins\n"
        + WRONG
        + "    \ndef test_b():\n    globals()['@pytest_ar'] = None\n    assert add(1, 2) == 3\n",
    ),
    (
        "hidden_globals",
        FINISHED,
        "globals()['@py_builtins'] = None\nglobals()['@pytest_ar'] = None\n" + WRONG,
    ),
    (
        "test_replaces_itself",
        FINISHED,
        "def test_a():\n    globals()['test_wrong'] = lambda: None\n" + WRONG,
    ),
    (
        "ctypes_memory",
        ANY,
        "import ctypes\ndef test_a():\n    ctypes.memset(id(True), 0, 64)\n" + WRONG,
    ),
    (
        "ctypes_prctl",
        FINISHED,
        "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.prctl(22, 0, 0, 0, 0); libc.prctl(4, 1, 0, 0, 0)\n"
        + WRONG,
    ),
    # outcomes that are no pass
    (
        "skip_module",
        UNCOLLECTED,
        "import pytest\npytest.skip('no', allow_module_level=True)\n" + WRONG,
    ),
    ("skip_module_plain", UNCOLLECTED, "import pytest\npytest.skip('no')\n" + WRONG),
    ("skip_test", FINISHED, "import pytest\ndef test_wrong():\n    pytest.skip('no')\n"),
    ("importorskip", UNCOLLECTED, "import pytest\npytest.importorskip('not_there')\n" + WRONG),
    ("xfail_all", FINISHED, "import pytest\npytestmark = pytest.mark.xfail\n" + WRONG),
    ("xfail_call", FINISHED, "import pytest\ndef test_wrong():\n    pytest.xfail('no')\n"),
    ("pytest_exit", FINISHED, "import pytest\ndef test_wrong():\n    pytest.exit('ok', 0)\n"),
    ("pytest_exit_import", UNCOLLECTED, "import pytest\npytest.exit('ok', 0)\n" + WRONG),
    (
        "unittest_skip",
        FINISHED,
        "import unittest\n@unittest.skip('no')\nclass TestA(unittest.TestCase):\n    def test_wrong(self): pass\n",
    ),
    (
        "unittest_expected",
        FINISHED,
        "import unittest\nclass TestA(unittest.TestCase):\n    @unittest.expectedFailure\n    def test_wrong(self): assert False\n",
    ),
    (
        "subtest_fails",
        FINISHED,
        "import unittest\nclass TestA(unittest.TestCase):\n    def test_wrong(self):\n        with self.subTest(): assert False\n",
    ),
    ("setup_fails", FINISHED, "def setup_function(f): assert False\n" + WRONG),
    (
        "teardown_fails",
        FINISHED,
        "def teardown_function(f): assert False\ndef test_wrong(): pass\n",
    ),
    ("fixture_missing", FINISHED, "def test_wrong(nothing): pass\n"),
    ("no_tests", UNCOLLECTED, "x = 1\n"),
    ("empty", UNCOLLECTED, ""),
    ("null_byte", UNCOLLECTED, "x = 1\0\n" + WRONG),
    ("surrogate", ANY, "x = '\ud800'\n" + WRONG),
    ("syntax", UNCOLLECTED, "def test_wrong(:\n"),
    ("prose", UNCOLLECTED, "Here are the tests that you asked for.\n"),
    ("javascript", UNCOLLECTED, "describe('x', () => { it('y', () => {}); });\n"),
    ("import_missing", UNCOLLECTED, "import not_there\n" + WRONG),
    ("name_missing", UNCOLLECTED, "from target_module import nothing\n" + WRONG),
    (
        "bad_message",
        FINISHED,
        "class E(Exception):\n    def __str__(self): raise SystemExit(0)\n    __repr__ = __str__\ndef test_wrong():\n    raise E\n",
    ),
    (
        "endless_message",
        TIMEOUT,
        "class E(Exception):\n    def __str__(self):\n        while True: pass\ndef test_a():\n    raise E\n"
        + WRONG,
    ),
    (
        "message_no_text",
        FINISHED,
        "class E(Exception):\n    def __str__(self): return 7\ndef test_wrong():\n    raise E\n",
    ),
    (
        "lying_class",
        FINISHED,
        "import pytest\nclass E(AssertionError):\n    __class__ = pytest.skip.Exception\ndef test_wrong():\n    raise E\n",
    ),
    (
        "lying_metaclass",
        FINISHED,
        "class M(type):\n    def __instancecheck__(c, o): return True\n    __name__ = property(lambda c: 1 / 0)\nclass E(Exception, metaclass=M): pass\ndef test_wrong():\n    raise E\n",
    ),
    (
        "bad_repr_argument",
        FINISHED,
        "class R:\n    def __repr__(self):\n        while True: pass\n    def __sub__(self, o): return -1\ndef test_wrong():\n    add(R(), 1)\n    assert False\n",
    ),
    (
        "self_containing",
        FINISHED,
        "def test_wrong():\n    x = []; x.append(x); d = {}; d[1] = d\n    try: add(x, d)\n    except TypeError: pass\n    assert False\n",
    ),
    (
        "wide_argument",
        FINISHED,
        "def test_wrong():\n    x = [[['a'] * 90] * 90] * 90\n    try: add(x, x)\n    except TypeError: pass\n    assert False\n",
    ),
    (
        "str_subclass",
        FINISHED,
        "class S(str):\n    def __str__(self): return 'passed'\n    def __getitem__(self, i): raise SystemExit(0)\n    def __len__(self): raise SystemExit(0)\ndef test_wrong():\n    raise AssertionError(S('x'))\n",
    ),
    # the outer world
    ("socket_inet", FINISHED, "import _socket\ndef test_wrong():\n    _socket.socket(2, 1)\n"),
    ("socket_raw", FINISHED, "import _socket\ndef test_wrong():\n    _socket.socket(17, 3)\n"),
    ("socket_netlink", FINISHED, "import _socket\ndef test_wrong():\n    _socket.socket(16, 3)\n"),
    (
        "ctypes_mount",
        FINISHED,
        "import ctypes\ndef test_wrong():\n    assert ctypes.CDLL(None).mount(b'tmpfs', b'/tmp', b'tmpfs', 0, None) == 0\n",
    ),
    (
        "ctypes_unshare",
        FINISHED,
        "import ctypes\ndef test_wrong():\n    assert ctypes.CDLL(None).unshare(0x10000000) == 0\n",
    ),
    (
        "ctypes_ptrace",
        FINISHED,
        "import ctypes\ndef test_wrong():\n    assert ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0\n",
    ),
    (
        "ctypes_setuid",
        FINISHED,
        "import ctypes\ndef test_wrong():\n    assert ctypes.CDLL(None).setuid(0) == 0\n",
    ),
    ("ctypes_memfd", FINISHED, "import os\ndef test_wrong():\n    os.memfd_create('x')\n"),
    (
        "ctypes_keyctl",
        FINISHED,
        "import ctypes\ndef test_wrong():\n    assert ctypes.CDLL(None).syscall(250, 0, 0, 0) >= 0\n",
    ),
    ("chroot", FINISHED, "import os\ndef test_wrong():\n    os.chroot('/tmp')\n"),
    (
        "mknod",
        FINISHED,
        "import os, stat\ndef test_wrong():\n    os.mknod('/tmp/d', 0o600 | stat.S_IFBLK, os.makedev(8, 0))\n",
    ),
    (
        "raise_limits",
        FINISHED,
        "import resource\ndef test_wrong():\n    resource.setrlimit(resource.RLIMIT_NPROC, (10**6, 10**6))\n",
    ),
    (
        "sees_project",
        FINISHED,
        "import os\ndef test_wrong():\n    import arena\n    root = os.path.dirname(os.path.dirname(arena.__file__))\n    assert os.path.isfile(root + '/arena/api.py') or set(os.listdir(root)) - {'arena', 'harness', 'parsers', '.venv'} or os.listdir(root + '/arena/tracks/mutation') != ['runner']\n",
    ),
    ("sees_processes", FINISHED, "import os\ndef test_wrong():\n    assert os.listdir('/proc')\n"),
    (
        "sees_environment",
        FINISHED,
        "import posix\ndef test_wrong():\n    assert [k for k in posix.environ if b'ARENA' in k or b'KEY' in k or b'SSH' in k]\n",
    ),
    (
        "sees_home",
        FINISHED,
        "import os, sys\ndef test_wrong():\n    known = sys.prefix + sys.base_prefix\n    assert [n for n in os.listdir('/root') + os.listdir('/home') if n not in known]\n",
    ),
)
