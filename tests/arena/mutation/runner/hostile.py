"""Test modules that want a verdict they have not earned, or to do harm. The program is wrong: `add(1, 2)` is -1.

Each row: name, how the run has to end, the module's text. A run that is finished must hold no outcome
"passed" for a test named `test_wrong`, which asserts what does not hold.
"""

from __future__ import annotations

from tests.arena.mutation.runner.hostile_inside import INSIDE
from tests.arena.mutation.runner.hostile_more import (
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
)
HOSTILE = {name: (ends, text) for name, ends, text in (*_ROWS, *INSIDE, *MORE)}
