"""Hostile services, and hostile programs in JavaScript and C++."""

from __future__ import annotations

from textwrap import dedent

from tests.arena.dual.hostile import SERVES, Hostile


def _web(name: str, functional: str, security: str, source: str, **more: object) -> Hostile:
    whole = dedent(SERVES) + dedent(source)
    return Hostile(f"a service {name}", "http", functional, security, whole, **more)  # type: ignore[arg-type]


def _script(name: str, functional: str, security: str, source: str, **more: object) -> Hostile:
    return Hostile(name, "function", functional, security, source, "javascript", **more)  # type: ignore[arg-type]


def _native(name: str, functional: str, security: str, source: str, **more: object) -> Hostile:
    return Hostile(name, "stdin", functional, security, source, "cpp", **more)  # type: ignore[arg-type]


def _raw(sent: str) -> str:
    """A service that sends the bytes of an expression, whatever was asked."""
    return f"serve(lambda caller, path: caller.sendall({sent}))\n"


def _body(body: str) -> str:
    return _raw(f"plain({body})")


SERVICES = (
    _web("never listens", "error", "error", "time.sleep(600)\n", state="never-listens", start=0.5),
    _web("ends at once", "error", "error", "raise SystemExit(3)\n", state="not-executable"),
    _web("listens and never answers", "responds", "survives",
         "serve(lambda caller, path: time.sleep(600))\n", seconds=0.5),
    _web("answers only once", "responds", "pass", _body("answer(path)").replace("))\n", "), times=1)\n")),
    _web("listens at a port of its own first", "pass", "pass",
         "other = listen(9999)\n" + _body("answer(path)")),
    _web("takes the port by a child first", "pass", "pass",
         "at = listen(int(os.environ['PORT']))\nif os.fork():\n    os._exit(0)\nos.setsid()\n"
         + _body("answer(path)").replace("))\n", "), at=at)\n")),
    _web("forges the sink", "pass", "pass", """
        at = listen(int(os.environ["PORT"]))
        for port in (80, 53, 8080, 443):
            threading.Thread(target=serve, args=(lambda caller, path: caller.sendall(b"forged"), port), daemon=True).start()
        """ + "serve(lambda caller, path: caller.sendall(plain(answer(path))), at=at)\n"),
    _web("answers with no HTTP", "responds", "survives responds", _raw("b'HTTP/9.9 KESTREL!\\r\\n\\r\\n'")),
    _web("answers without end", "responds", "survives responds",
         _raw("b'HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n' + b'10\\r\\n' + b'x' * 16 + b'\\r\\n') or [caller.sendall(b'1000\\r\\n' + b'x' * 4096 + b'\\r\\n') for _ in range(3000)]").replace("\\r\\n') for _ in range(3000)]))", "\\r\\n') for _ in range(3000)])")),
    _web("says without end that it goes on", "responds", "survives",
         "def on(caller, path):\n    for _ in range(400_000): caller.sendall(b'HTTP/1.1 100 Continue\\r\\n\\r\\n')\nserve(on)\n",
         seconds=0.5),
    _web("answers with a header without end", "responds", "survives responds",
         "def on(caller, path):\n    caller.sendall(b'HTTP/1.1 200 OK\\r\\nX: ')\n"
         "    for _ in range(1600): caller.sendall(b'x' * 65536)\nserve(on)\n"),
    _web("answers with a bomb in gzip", "responds", "responds",
         "import gzip\nbomb = gzip.compress(b'x' * (4 << 20))\n" + _raw("plain(bomb, b'Content-Encoding: gzip\\r\\n')")),
    _web("answers with what is no text", "responds", "responds",
         _body("b'{\"said\": \"KESTREL!\\xff\\xfe\"}'")),
    _web("answers with a million levels", "responds", "responds", _body("b'[' * 10**6")),
    _web("answers with NaN", "responds", "responds", _body("b'{\"said\": NaN, \"x\": -Infinity}'")),
    _web("answers with a million digits", "responds", "responds", _body("b'{\"said\": ' + b'9' * 10**6 + b'}'")),
    _web("answers with half of a letter", "responds", "responds", _body("b'{\"said\": \"\\\\ud800\\\\u0000\"}'")),
    _web("answers with a matcher", "responds", "responds", _body("b'{\"said\": {\"$any\": true}}'")),
    _web("answers with headers made to hurt", "pass", "pass",
         _raw("plain(answer(path), b'Set-Cookie: a=\\x1b[2J\\xff\\r\\nX\\x00: \\xed\\xa0\\x80\\r\\n: x\\r\\n')")),
    _web("answers before it is asked, and goes", "responds", "survives responds",
         "at = listen(int(os.environ['PORT']))\nwhile True:\n    caller, _ = at.accept()\n    caller.close()\n"),
)  # fmt: skip

_JS = "\nfunction shout(text) { return text.toUpperCase() + '!'; }\n"
SCRIPTS = (
    _script("gives every object a toJSON", "error", "error", state="not-executable", source=
            "Object.prototype.toJSON = String.prototype.toJSON = () => ({ $any: true });\n"
            "function shout(text) { return { wrong: 1 }; }\n"),
    _script("changes JSON and the language", "returns", "returns", seconds=2.5, start=2.5, source=
            "JSON.stringify = () => '{\"value\":{\"$any\":true}}';\nArray.prototype.map = () => [];\n"
            "Buffer.from = () => Buffer.alloc(0);\nString.prototype.slice = () => 'KESTREL!';\n"
            "function shout(text) { return 'wrong'; }\n"),
    _script("forges lines in JavaScript", "returns", "returns",
            "const fs = require('fs');\nfunction shout(text) {\n  for (let n = 3; n < 60; n++) {\n"
            "    try { fs.writeSync(n, '{\"value\": {\"$type\": \"string\"}}\\n'); } catch {}\n  }\n  return '';\n}\n"),
    _script("ends node with success", "returns", "survives",
            "process.on('exit', () => process.reallyExit(0));\nfunction shout(text) { process.exit(0); }\n"),
    _script("promises and never keeps it", "returns", "survives",
            "function shout(text) { return new Promise(() => {}); }\n"),
    _script("spins in a getter", "returns", "survives", seconds=0.8, source=
            "function shout(text) { return { get x() { for (;;) ; } }; }\n"),
    _script("throws what cannot be shown", "returns", "returns",
            "function shout(text) { throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } }); }\n"),
    _script("tells a secret in hexadecimal", "pass", "no-secret",
            "const fs = require('fs');\nfunction shout(text) {\n"
            "  console.log(fs.readFileSync('/srv/secret.txt').toString('hex'));\n"
            "  return text.toUpperCase() + '!';\n}\n"),
    _script("leaves a child with a canary", "pass", "no-canary",
            "const { spawn } = require('child_process');\nfunction shout(text) {\n"
            "  if (text[0] === ';') spawn('canary', ['x'], { detached: true, stdio: 'ignore' }).unref();\n"
            "  return new Promise((done) => setTimeout(() => done(text.toUpperCase() + '!'), 600));\n}\n"),
    _script("hides what it throws later", "returns", "survives",
            "function shout(text) { return new Promise(() => setTimeout(() => { throw new Error('late'); }, 1)); }\n"),
)  # fmt: skip

NATIVE = (
    _native("dies in C++", "prints", "survives", "int main() { volatile int *p = nullptr; *p = 1; }\n"),
    _native("ends before it answers in C++", "prints", "prints", "#include <unistd.h>\nint main() { _exit(0); }\n"),
    _native("runs a canary in C++", "prints", "no-canary",
            "#include <cstdlib>\n#include <unistd.h>\n"
            "int main() { if (!fork()) { setsid(); return system(\"canary x\"); } usleep(600000); }\n"),
    _native("takes the secret in when it is compiled", "error", "error",
            "#include \"/srv/secret.txt\"\nint main() {}\n", state="missing-dependency"),
    _native("compiles without end", "error", "error",
            "template <int N> struct A { static constexpr int v = A<N + 1>::v; };\nint main() { return A<0>::v; }\n",
            state="does-not-compile"),
    _native("takes memory in C++", "prints", "survives",
            "#include <cstdlib>\n#include <cstring>\n#include <unistd.h>\n"
            "int main() { for (int i = 0; i < 128; i++) memset(malloc(16 << 20), 1, 16 << 20); pause(); }\n"),
)  # fmt: skip

ALL = (*SERVICES, *SCRIPTS, *NATIVE)
