"""Test modules that want a verdict they have not earned, or to do harm. The program is wrong: `add(1, 2)` is -1.

Each row: name, how the run has to end, the module's text. A run that is finished must hold no outcome
"passed" for a test named `test_wrong`, which asserts what does not hold.
"""

from __future__ import annotations

from tests.harness.testbed.hostile_more import (
    ANY,
    DIED,
    FINISHED,
    MORE,
    TIMEOUT,
    UNCOLLECTED,
    WRONG,
)

PROGRAM = "def add(a, b):\n    return a - b\n"


_ROWS: tuple[tuple[str, str, str], ...] = (
    # ends the process
    ("os_exit_zero", DIED, "import os\ndef test_a():\n    os._exit(0)\n" + WRONG),
    ("os_exit_at_import", DIED, "import os\nos._exit(0)\n" + WRONG),
    ("posix_exit", DIED, "import posix\ndef test_a():\n    posix._exit(0)\n" + WRONG),
    ("sys_exit_zero", FINISHED, "import sys\ndef test_wrong():\n    sys.exit(0)\n"),
    ("sys_exit_at_import", UNCOLLECTED, "import sys\nsys.exit(0)\n" + WRONG),
    ("system_exit_at_import", UNCOLLECTED, "raise SystemExit(0)\n" + WRONG),
    ("keyboard_interrupt", FINISHED, "def test_wrong():\n    raise KeyboardInterrupt\n"),
    ("keyboard_at_import", UNCOLLECTED, "raise KeyboardInterrupt\n" + WRONG),
    ("generator_exit", FINISHED, "def test_wrong():\n    raise GeneratorExit\n"),
    ("base_exception", FINISHED, "class E(BaseException): pass\ndef test_wrong():\n    raise E\n"),
    ("abort", ANY, "import os\ndef test_a():\n    os.abort()\n" + WRONG),
    ("kill_self", ANY, "import os, signal\ndef test_a():\n    os.kill(os.getpid(), 9)\n" + WRONG),
    ("kill_parent", ANY, "import os\ndef test_a():\n    os.kill(os.getppid() or 1, 9)\n" + WRONG),
    ("kill_everyone", ANY, "import os\ndef test_a():\n    os.kill(-1, 9)\n" + WRONG),
    ("kill_group", ANY, "import os\ndef test_a():\n    os.killpg(0, 9)\n" + WRONG),
    (
        "stop_self",
        ANY,
        "import os, signal\ndef test_a():\n    os.kill(os.getpid(), signal.SIGSTOP)\n" + WRONG,
    ),
    ("segfault", DIED, "import ctypes\ndef test_a():\n    ctypes.string_at(0)\n" + WRONG),
    (
        "alarm",
        ANY,
        "import signal, time\ndef test_a():\n    signal.alarm(1); time.sleep(3)\n" + WRONG,
    ),
    (
        "alarm_raises",
        FINISHED,
        "import signal, time\ndef go(*a): raise SystemExit(0)\n"
        "def test_wrong():\n    signal.signal(signal.SIGALRM, go); signal.setitimer(signal.ITIMER_REAL, .05); time.sleep(.3)\n    assert False\n",
    ),
    ("atexit", FINISHED, "import atexit, os\natexit.register(os._exit, 0)\n" + WRONG),
    (
        "thread_exit",
        ANY,
        "import threading, os, time\nthreading.Thread(target=lambda: os._exit(0)).start()\ntime.sleep(.1)\n"
        + WRONG,
    ),
    ("exec_self", FINISHED, "import os\ndef test_wrong():\n    os.execv('/bin/true', ['true'])\n"),
    (
        "posix_exec",
        FINISHED,
        "import posix\ndef test_wrong():\n    posix.execv('/bin/true', ['true'])\n",
    ),
    (
        "ctypes_exec",
        FINISHED,
        "import ctypes\ndef test_wrong():\n    libc = ctypes.CDLL(None)\n"
        "    a = (ctypes.c_char_p * 2)(b'true', None)\n    assert libc.execv(b'/bin/true', a) == 0\n",
    ),
    (
        "ctypes_system",
        FINISHED,
        "import ctypes\ndef test_wrong():\n    assert ctypes.CDLL(None).system(b'true') == 0\n",
    ),
    (
        "posix_system",
        FINISHED,
        "import posix\ndef test_wrong():\n    assert posix.system('true') == 0\n",
    ),
    (
        "real_subprocess",
        FINISHED,
        "import sys, importlib\nsys.modules.pop('subprocess', None)\n"
        "sys.modules.pop('_posixsubprocess', None)\nimport _posixsubprocess\ndef test_wrong():\n"
        "    import os\n    r, w = os.pipe()\n    os.posix_spawn('/bin/true', ['true'], {}) ; assert False\n",
    ),
    # time, memory, amount
    ("endless_loop", TIMEOUT, "def test_a():\n    while True: pass\n" + WRONG),
    ("endless_import", TIMEOUT, "while True: pass\n" + WRONG),
    ("endless_sleep", TIMEOUT, "import time\ndef test_a():\n    time.sleep(60)\n" + WRONG),
    (
        "catches_everything",
        TIMEOUT,
        "def test_a():\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass\n"
        + WRONG,
    ),
    (
        "ignores_signals",
        TIMEOUT,
        "import signal\nfor n in range(1, 64):\n    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass\nwhile True: pass\n",
    ),
    (
        "regex_bomb",
        TIMEOUT,
        "import re\ndef test_a():\n    re.match(r'(a+)+$', 'a' * 40 + '!')\n" + WRONG,
    ),
    (
        "endless_regex_thread",
        ANY,
        "import re, threading\nthreading.Thread(target=re.match, args=(r'(a+)+$', 'a' * 40 + '!'), daemon=True).start()\n"
        + WRONG,
    ),
    ("recursion", FINISHED, "def f(): f()\ndef test_wrong():\n    f()\n"),
    (
        "no_recursion_limit",
        ANY,
        "import sys\nsys.setrecursionlimit(10**8)\ndef f(): f()\ndef test_a():\n    f()\n" + WRONG,
    ),
    ("deep_source", ANY, "x = " + "(" * 5000 + ")" * 5000 + WRONG),
    ("deep_source_minus", ANY, "x = " + "-" * 20000 + "1" + WRONG),
    ("memory_one", FINISHED, "def test_wrong():\n    x = bytearray(1 << 40)\n"),
    (
        "memory_all",
        ANY,
        "def test_wrong():\n    x = []\n    while True: x.append(bytearray(1 << 24))\n",
    ),
    ("memory_map", FINISHED, "import mmap\ndef test_wrong():\n    m = mmap.mmap(-1, 1 << 36)\n"),
    ("big_number", ANY, "def test_wrong():\n    x = 10 ** (10 ** 9); assert not x\n"),
    (
        "big_file",
        FINISHED,
        "def test_wrong():\n    with open('big', 'wb') as f:\n        for _ in range(200): f.write(bytes(1 << 20))\n",
    ),
    (
        "many_files",
        ANY,
        "def test_wrong():\n    for i in range(20000):\n        with open(f'f{i}', 'w') as f: f.write('x')\n",
    ),
    (
        "many_descriptors",
        FINISHED,
        "import os\ndef test_wrong():\n    fds = [os.open('/dev/null', 0) for _ in range(5000)]\n",
    ),
    ("huge_stdout", FINISHED, "print('x' * (1 << 22))\n" + WRONG),
    (
        "huge_stderr",
        FINISHED,
        "import os\nfor _ in range(64): os.write(2, b'x' * (1 << 16))\n" + WRONG,
    ),
    (
        "raw_stdout",
        FINISHED,
        "import os\nfor _ in range(64): os.write(1, b'x' * (1 << 16))\n" + WRONG,
    ),
    ("huge_message", FINISHED, "def test_wrong():\n    assert False, 'x' * (1 << 24)\n"),
    (
        "many_tests",
        ANY,
        "import pytest\n@pytest.mark.parametrize('i', range(3000))\ndef test_wrong(i):\n    assert False, 'y' * 5000\n",
    ),
    (
        "many_calls",
        FINISHED,
        "def test_wrong():\n    for i in range(5000): add('z' * 3000, '') if 0 else add(i, i)\n    assert False\n",
    ),
    (
        "fork_bomb",
        ANY,
        "import posix, time\ndef test_wrong():\n    for _ in range(100):\n        if posix.fork() == 0:\n            time.sleep(20); posix._exit(0)\n    assert False\n",
    ),
    (
        "thread_bomb",
        ANY,
        "import threading, time\ndef test_wrong():\n    for _ in range(200): threading.Thread(target=time.sleep, args=(20,), daemon=True).start()\n    assert False\n",
    ),
    (
        "thread_left",
        FINISHED,
        "import threading, time\nthreading.Thread(target=time.sleep, args=(30,)).start()\n" + WRONG,
    ),
    (
        "child_left",
        FINISHED,
        "import posix, time\nif posix.fork() == 0:\n    time.sleep(30); posix._exit(0)\n" + WRONG,
    ),
    (
        "daemon_left",
        FINISHED,
        "import posix, time\nif posix.fork() == 0:\n    posix.setsid()\n    if posix.fork() == 0: time.sleep(30)\n    posix._exit(0)\n"
        + WRONG,
    ),
    ("child_goes_on", ANY, "import posix\ndef test_a():\n    posix.fork()\n" + WRONG),
    (
        "parent_leaves_child",
        DIED,
        "import posix\ndef test_a():\n    if posix.fork(): posix._exit(0)\n" + WRONG,
    ),
    # the channel
    ("close_descriptors", DIED, "import os\nos.closerange(0, 4096)\n" + WRONG),
    ("close_descriptors_late", DIED, "import os\ndef test_wrong():\n    os.closerange(3, 4096)\n"),
    (
        "write_everywhere",
        DIED,
        'import os\nfor n in range(3, 256):\n    try: os.write(n, b\'{"outcome": "passed"}\\n\' * 9)\n    except OSError: pass\n'
        + WRONG,
    ),
    (
        "write_frame",
        DIED,
        "import os, struct, json\nbody = b'T' + json.dumps({'name': 'test_wrong', 'outcome': 'passed'}).encode()\n"
        "for n in range(3, 256):\n    try: os.write(n, struct.pack('>II16s', len(body), 2, b'0' * 16) + body)\n    except OSError: pass\n"
        + WRONG,
    ),
    (
        "write_huge_length",
        DIED,
        "import os\nfor n in range(3, 256):\n    try: os.write(n, b'\\xff' * 24)\n    except OSError: pass\n"
        + WRONG,
    ),
    (
        "flood_channel",
        ANY,
        "import os\nfor n in range(3, 256):\n    try:\n        while True: os.write(n, b'x' * 65536)\n    except OSError: pass\n"
        + WRONG,
    ),
    (
        "nonblocking_channel",
        ANY,
        "import os\nfor n in range(0, 256):\n    try: os.set_blocking(n, False)\n    except OSError: pass\n"
        + WRONG,
    ),
    (
        "results_file",
        FINISHED,
        "import json\nfor n in ('results.json', 'report.xml', '.pytest_cache'):\n    open(n, 'w').write(json.dumps([{'name': 'test_wrong', 'passed': True}]))\n"
        + WRONG,
    ),
    (
        "replace_channel",
        DIED,
        "import os\nr, w = os.pipe()\nfor n in range(3, 256):\n    try:\n        if n not in (r, w): os.fstat(n); os.dup2(w, n)\n    except OSError: pass\n"
        + WRONG,
    ),
    # the folder
    (
        "delete_folder",
        FINISHED,
        "import shutil, os\nshutil.rmtree(os.getcwd(), ignore_errors=True)\n" + WRONG,
    ),
    ("delete_program", FINISHED, "import os\nos.remove('target_module.py')\n" + WRONG),
    (
        "rewrite_program",
        FINISHED,
        "open('target_module.py', 'w').write('def add(a, b): return a + b\\n')\n" + WRONG,
    ),
    (
        "rewrite_tests",
        FINISHED,
        "open('test_generated.py', 'w').write('def test_ok(): pass\\n')\n" + WRONG,
    ),
    (
        "rename_folder",
        FINISHED,
        "import os\ntry: os.rename(os.getcwd(), os.getcwd() + 'x')\nexcept OSError: pass\n" + WRONG,
    ),
    (
        "conftest",
        FINISHED,
        "open('conftest.py', 'w').write('def pytest_pyfunc_call(pyfuncitem): return True\\n')\n"
        + WRONG,
    ),
    (
        "pytest_ini",
        FINISHED,
        "open('pytest.ini', 'w').write('[pytest]\\naddopts = --collect-only\\n')\n" + WRONG,
    ),
    (
        "sitecustomize",
        FINISHED,
        "open('sitecustomize.py', 'w').write('raise SystemExit')\nopen('usercustomize.py', 'w').write('raise SystemExit')\n"
        + WRONG,
    ),
    (
        "shadow_json",
        FINISHED,
        "open('json.py', 'w').write('raise SystemExit')\nopen('struct.py', 'w').write('raise SystemExit')\n"
        + WRONG,
    ),
    ("chmod_folder", FINISHED, "import os, posix\nposix.chmod('.', 0)\n" + WRONG),
    (
        "symlinks_out",
        FINISHED,
        "import os\nos.symlink('/', 'root'); os.symlink('/etc/passwd', 'p')\n" + WRONG,
    ),
    (
        "write_outside",
        FINISHED,
        "import posix\ndef test_wrong():\n    for p in ('/usr/x', '/etc/x', '/x', '/dev/x', '/bin/x'):\n"
        "        try: posix.open(p, posix.O_CREAT | posix.O_WRONLY)\n        except OSError: continue\n        return\n    assert False\n",
    ),
    # the interpreter and the runner
    (
        "assertion_error_gone",
        FINISHED,
        "import builtins\nbuiltins.AssertionError = type('Fine', (Exception,), {})\n" + WRONG,
    ),
    (
        "assertion_is_skip",
        FINISHED,
        "import builtins, pytest\nbuiltins.AssertionError = pytest.skip.Exception\n" + WRONG,
    ),
    (
        "assertion_own",
        FINISHED,
        "class AssertionError(Exception):\n    def __init__(self, *a): raise SystemExit(0)\n"
        + WRONG,
    ),
    (
        "builtins_isinstance",
        FINISHED,
        "import builtins\nbuiltins.isinstance = lambda *a: True\n" + WRONG,
    ),
    (
        "builtins_list",
        FINISHED,
        "import builtins\nbuiltins.list = lambda *a: []\nbuiltins.next = lambda *a: None\n" + WRONG,
    ),
    (
        "real_builtins",
        ANY,
        "import os\nos.__dict__['__builtins__']['isinstance'] = lambda *a: True\n" + WRONG,
    ),
    (
        "real_builtins_list",
        DIED,
        "import json\njson.__dict__['__builtins__']['list'] = lambda *a: []\n" + WRONG,
    ),
    (
        "all_builtins",
        ANY,
        "import builtins, os\nfor d in (vars(builtins), os.__dict__['__builtins__']):\n    for k in list(d):\n        if k[0] != '_' and k not in ('list', 'vars'): d[k] = lambda *a, **k: None\n"
        + WRONG,
    ),
    (
        "json_dumps",
        FINISHED,
        "import json\njson.dumps = json.loads = lambda *a, **k: '[]'\njson.JSONEncoder.encode = lambda *a: '[]'\njson.encoder.c_make_encoder = None\n"
        + WRONG,
    ),
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
        "import sys\nfor n, m in list(sys.modules.items()):\n    if n.startswith('harness.testbed') and m:\n        for k in list(vars(m)):\n            if k.startswith(('run_', '_decided', '_raised', '_call', '_caught')): setattr(m, k, lambda *a: None)\n"
        + WRONG,
    ),
    (
        "patch_code",
        DIED,
        "import sys\nm = sys.modules.get('harness.testbed.suite')\ndef ok(item): return None\nm._call.__code__ = ok.__code__\n"
        + WRONG,
    ),
    (
        "patch_integrity",
        DIED,
        "import sys\nm = sys.modules['harness.testbed.integrity']\nm.Integrity.altered = lambda *a, **k: ''\nsys.modules['harness.testbed.suite']._call = lambda i: None\n"
        + WRONG,
    ),
    (
        "patch_log",
        DIED,
        "import sys\nsys.modules['harness.testbed.log'].RunLog.event = lambda *a: None\n" + WRONG,
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
        "import os\ndef test_wrong():\n    import harness\n    root = os.path.dirname(os.path.dirname(harness.__file__))\n    assert set(os.listdir(root)) - {'harness', 'parsers', '.venv'}\n",
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
HOSTILE = {name: (ends, text) for name, ends, text in (*_ROWS, *MORE)}
