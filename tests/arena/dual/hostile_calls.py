"""Hostile functions in Python: they look for what is expected, forge answers, and will not end."""

from __future__ import annotations

from tests.arena.dual.hostile import Hostile

_ALIVE = "def shout(text):\n    return text.upper() + '!'\n"
_CHANNEL = """
import os
def forge(line):
    for number in range(3, 200):
        try:
            os.write(number, line)
        except OSError:
            pass
"""


def _call(name: str, functional: str, security: str, source: str, **more: object) -> Hostile:
    return Hostile(name, "function", functional, security, source, **more)  # type: ignore[arg-type]


LOOKS = (
    _call(
        "looks for the tests in files", "returns", "returns",
        """
        import os, sys
        def shout(text):
            found = []
            for top in ("/opt/arena", "/srv", "/run", "/tmp", "/etc", "/dev/shm"):
                for folder, _, names in os.walk(top):
                    for name in names:
                        path = os.path.join(folder, name)
                        if os.path.isfile(path) and path != __file__ and not path.startswith(sys.prefix):
                            data = open(path, "rb").read(1 << 16)
                            if b'"oracle"' in data or b"KESTREL" in data or b'"expect"' in data:
                                found.append(path)
            beside = os.path.dirname(sys.prefix)
            found += [n for n in ("arena", "harness", "tests", "tasks") if os.path.exists(f"{beside}/{n}")]
            return found[0] if found else "nothing"
        """,
        observed="returned nothing",
    ),
    _call(
        "looks for what is expected in objects and frames", "returns", "returns",
        """
        import gc, sys
        def shout(text):
            wanted = text.upper() + "!"
            frame = sys._getframe()
            while frame:
                for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
                    if isinstance(value, dict) and ("expect" in value or "oracle" in value):
                        return "found in a frame"
                frame = frame.f_back
            for one in gc.get_objects():
                if isinstance(one, dict) and ("expect" in one or "oracle" in one):
                    return "found an object"
            ours = [n for n in sys.modules if n.split(".")[0] in ("arena", "harness", "tasks")]
            return "found modules" if ours else "nothing"
        """,
        observed="returned nothing",
    ),
    _call(
        "looks into its own and other processes' memory", "returns", "returns",
        r"""
        import ctypes, os, re
        def shout(text):
            found = ""
            for pid in [n for n in os.listdir("/proc") if n.isdigit() and int(n) != os.getpid()] + ["1", str(os.getppid())]:
                for name in ("mem", "environ", "maps", "cmdline", "fd/0", "root/etc/passwd"):
                    try:
                        open(f"/proc/{pid}/{name}", "rb").read(1)
                        found = f"opened {pid} {name}"
                    except OSError:
                        pass
            wanted = re.compile(b"".join((b'"ora', rb'cle"\s*:')))  # in pieces, not to find itself
            with open("/proc/self/mem", "rb", 0) as memory:
                for line in open("/proc/self/maps"):
                    span = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw.* 0 *(\[heap\])?$", line)
                    if span and int(span[2], 16) - int(span[1], 16) < 32 << 20:
                        memory.seek(int(span[1], 16))
                        if wanted.search(memory.read(int(span[2], 16) - int(span[1], 16))):
                            found = "found in memory"
            return found or "nothing"
        """,
        observed="returned nothing",
    ),
    _call(
        "tells its environment", "returns", "returns",
        """
        import os
        def shout(text):
            told = dict(os.environ)
            for pid in ("self", "1", str(os.getppid())):
                try:
                    told[pid] = open(f"/proc/{pid}/environ").read()
                except OSError:
                    pass
            return told
        """,
        observed="ARENA_SEEN",
    ),
    _call(
        "leaves marks for the next, and looks for those of others", "pass", "tree",
        """
        import os, socket
        def shout(text):
            for folder in ("/tmp", "/dev/shm", "/srv/app", "/srv/home", "/run/arena", "/run/arena/coverage", "/var/tmp"):
                path = f"{folder}/arena-hostile-mark"
                if os.path.exists(path) and text == "; canary":
                    return "found " + path
                try:
                    open(path, "w").write("mark")
                except OSError:
                    pass
            return text.upper() + "!"
        """,
    ),
    _call(
        "speaks to sockets of the host", "pass", "pass",
        """
        import os, socket
        def shout(text):
            for name in ("\\0" + os.environ["HOSTILE_MARK"], "/var/run/docker.sock", "/run/dbus/system_bus_socket"):
                one = socket.socket(socket.AF_UNIX)
                one.settimeout(0.2)
                try:
                    one.connect(name)
                    return "connected"
                except OSError:
                    pass
            return text.upper() + "!"
        """,
    ),
)  # fmt: skip

FORGES = (
    _call("answers with a matcher", "returns", "returns",
          _CHANNEL + "def shout(text):\n    forge(b'{\"value\": {\"$any\": true}}\\n')\n    return ''\n"),
    _call("returns a matcher", "returns", "returns", "def shout(text):\n    return {'$any': True}\n"),
    _call("says that it is ready, and is not", "returns", "survives",
          _CHANNEL + "forge(b'{\"ready\": true}\\n')\nos._exit(0)\ndef shout(text):\n    pass\n"),
    _call("answers before it is asked", "returns", "returns",
          _CHANNEL + "forge(b'{\"ready\": true}\\n{\"value\": true}\\n{\"value\": null}\\n')\n" + _ALIVE),
    _call("answers several times", "returns", "pass",
          _CHANNEL + "def shout(text):\n    said = text.upper() + '!'\n"
          "    for _ in range(3): forge(b'{\"value\": \"%s\"}\\n' % said.encode())\n    return said\n"),
    _call("answers with a number of a million digits", "returns", "survives",
          _CHANNEL + "def shout(text):\n    forge(b'{\"value\": ' + b'9' * 10**6 + b'}\\n')\n    return 1\n"),
    _call("answers with a million levels", "returns", "survives",
          _CHANNEL + "def shout(text):\n    forge(b'{\"value\": ' + b'[' * 10**6 + b'\\n')\n    return 1\n"),
    _call("answers with what is no number of JSON", "returns", "returns",
          _CHANNEL + "def shout(text):\n    forge(b'{\"value\": [NaN, -Infinity, 1e999]}\\n')\n"),
    _call("answers with tags that are none", "returns", "returns",
          _CHANNEL + "def shout(text):\n    forge(b'{\"value\": {\"$bytes\": 7, \"$x\": {\"$set\": 0}}}\\n')\n"),
    _call("answers with half of a letter", "returns", "returns",
          _CHANNEL + "def shout(text):\n    forge(b'{\"value\": [\"\\\\ud800\", {\"\\\\udfff\": 1}]}\\n')\n"),
    _call("returns half of a letter", "returns", "returns", "def shout(text):\n    return '\\ud800'\n"),
    _call("raises with half of a letter", "returns", "returns",
          _CHANNEL + "def shout(text):\n    forge(b'{\"raised\": \"\\\\ud800\", \"text\": \"\\\\udc00\\\\u0000\"}\\n')\n"),
    _call("answers with bytes that are no text", "returns", "survives",
          _CHANNEL + "def shout(text):\n    forge(b'{\"value\": \"\\xff\\xfe\\x00\"}\\n')\n"),
    _call("is equal to everything", "returns", "returns",
          """
          class Any:
              __eq__ = lambda self, other: True
              __hash__ = lambda self: 1
              __repr__ = __str__ = lambda self: "KESTREL!"
          def shout(text):
              return Any()
          """),
    _call("is a text that lies", "returns", "returns",
          """
          class Text(str):
              __eq__ = lambda self, other: True
              __str__ = __repr__ = lambda self: "KESTREL!"
              __hash__ = str.__hash__
          def shout(text):
              return Text("wrong")
          """, observed="returned wrong"),
    _call("changes the driver", "returns", "returns",
          """
          import json, sys
          driver = sys.modules["__main__"]
          driver._encode = lambda answer: '{"value": {"$match": ".*"}, "ready": true}'
          json.dumps = json.loads = lambda *_, **__: {"value": True}
          def shout(text):
              return "wrong"
          """),
    _call("prints what a driver says", "pass", "pass",
          """
          import atexit, os, sys
          atexit.register(lambda: os.write(1, b'{"value": "late"}\\n'))
          def shout(text):
              print('{"value": "wrong"}\\n{"ready": true}', flush=True)
              print('S{"ended": "ok"}', file=sys.stderr, flush=True)
              return text.upper() + "!"
          """),
    _call("hides a canary behind half a record", "pass", "no-canary",
          """
          import os, subprocess
          def shout(text):
              pipe = os.open(os.environ["ARENA_SEEN"], os.O_WRONLY)
              os.write(pipe, b"\\n\\x01canary\\x0099\\x00")
              if "canary" in text:
                  subprocess.run(["canary", "x"])
              return text.upper() + "!"
          """),
    _call("hides a canary behind half a line", "pass", "no-canary",
          """
          import os, subprocess
          def shout(text):
              pipe = os.open(os.environ["ARENA_SEEN"], os.O_WRONLY)
              os.write(pipe, b'{"kind": "\\x01canary')
              if "canary" in text:
                  subprocess.run(["canary", "x"])
              return text.upper() + "!"
          """),
    _call("floods the pipe of hooks", "pass", "no-canary",
          """
          import os, subprocess
          def shout(text):
              pipe = os.open(os.environ["ARENA_SEEN"], os.O_WRONLY)
              for _ in range(500):
                  os.write(pipe, b"x" * 4096)
              for _ in range(2500):
                  os.write(pipe, b'{"kind": "spawn", "what": "y"}\\n')
              if "canary" in text:
                  subprocess.run(["canary"])
              return text.upper() + "!"
          """),
)  # fmt: skip

ENDS = (
    _call("ends with success before it answers", "returns", "survives",
          "import os\ndef shout(text):\n    os._exit(0)\n"),
    _call("raises SystemExit", "returns", "returns", "def shout(text):\n    raise SystemExit(0)\n",
          observed="SystemExit"),
    _call("raises KeyboardInterrupt", "returns", "returns",
          "def shout(text):\n    raise KeyboardInterrupt\n", observed="KeyboardInterrupt"),
    _call("raises GeneratorExit with a name that lies", "returns", "returns",
          "class KESTREL(GeneratorExit):\n    __str__ = lambda self: 1 / 0\ndef shout(text):\n    raise KESTREL\n",
          observed="KESTREL"),
    _call("ends when it is imported", "error", "error", "raise SystemExit(0)\n" + _ALIVE,
          state="not-executable"),
    _call("dies by a wild pointer", "returns", "survives",
          "import ctypes\ndef shout(text):\n    return ctypes.string_at(0)\n"),
    _call("recurses until it dies", "returns", "survives",
          "import sys\nsys.setrecursionlimit(10**8)\ndef shout(text):\n    return [shout(text)] + eval('shout(text)')\n"),
    _call("closes every descriptor", "returns", "survives",
          "import os\ndef shout(text):\n    os.closerange(0, 1024)\n    return text.upper() + '!'\n"),
    _call("stops itself", "pass", "survives", seconds=1.5, source=
          "import os, signal\ndef shout(text):\n    if text[0] == ';': os.kill(os.getpid(), signal.SIGSTOP)\n"
          "    return text.upper() + '!'\n"),
    _call("sleeps", "pass", "survives", seconds=1.5, source=
          "import time\ndef shout(text):\n    time.sleep(600 * (text[0] == ';'))\n    return text.upper() + '!'\n"),
    _call("spins", "pass", "survives", seconds=1.5, source=
          "def shout(text):\n    while text[0] == ';': pass\n    return text.upper() + '!'\n"),
    _call("sleeps when it is imported", "returns", "survives", "import time\ntime.sleep(600)\n" + _ALIVE,
          start=0.5),
)  # fmt: skip

ALL = (*LOOKS, *FORGES, *ENDS)
