"""Hooks: each kind is seen in the candidate's own code, and not in what a library does for itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arena.tracks.dual.runner import Order, RunLimitsSpec, hooks
from arena.tracks.dual.runner.drivers.hooks import __file__ as HOOKS
from arena.tracks.dual.runner.order import HOME
from arena.tracks.dual.runner.pool import ProgramRunner
from tests.arena.dual.runner.driven import order

PYTHON = {
    "import random\nrandom.random()": ("weak-random", "random.random"),
    "from random import randint\nrandint(1, 2)": ("weak-random", "random.randint"),
    "import random\nrandom.Random(1)": ("weak-random", "random.Random"),
    "import uuid\nuuid.uuid1()": ("weak-random", "uuid.uuid1"),
    "import hashlib\nhashlib.md5(b'')": ("weak-hash", "md5"),
    "import hashlib\nhashlib.new('SHA1')": ("weak-hash", "sha1"),
    "import hmac\nhmac.new(b'k', b'', 'md5')": ("weak-hash", "hmac md5"),
    "import hashlib\nhashlib.new('ripemd160')": ("weak-hash", "ripemd160"),
    "import hashlib\nhashlib.pbkdf2_hmac('sha256', b'p', b's', 9999)": ("weak-hash", "pbkdf2 9999"),
    "import hashlib\nhashlib.scrypt(b'p', salt=b's', n=8192, r=1, p=1)": ("weak-hash", "scrypt 8192"),
    "import bcrypt\nbcrypt.gensalt(9)": ("weak-hash", "bcrypt 9"),
    "from Crypto.Hash import MD5\nMD5.new()": ("weak-hash", "md5"),
    "from Crypto.Hash import RIPEMD160\nRIPEMD160.new()": ("weak-hash", "ripemd160"),
    "from Crypto.Cipher import AES\nAES.new(b'1' * 16, AES.MODE_CBC, bytes(16))": ("weak-cipher", "AES fixed IV or nonce"),
    "from Crypto.Cipher import DES3\nDES3.new(b'12345678abcdefgh', 2, b'12345678')": ("weak-cipher", "DES3"),
    "from cryptography.hazmat.primitives.ciphers import modes\nmodes.CBC(bytes(16))": (
        "weak-cipher", "cryptography CBC fixed IV or nonce",
    ),
    "from cryptography.hazmat.primitives import hashes\nhashes.SHA1()": ("weak-hash", "cryptography SHA1"),
    "from Crypto.Cipher import AES\nAES.new(b'1' * 16, AES.MODE_ECB)": ("weak-cipher", "AES ECB"),
    "from cryptography.hazmat.primitives.ciphers import modes\nmodes.ECB()": ("weak-cipher", "cryptography ECB"),
    "import os\nos.system('true')": ("spawn", "os.system true"),
    "import subprocess\nsubprocess.run(['true', 'x'])": ("spawn", "subprocess true x"),
    "eval('1')": ("eval", "exec or eval"),
    "exec('x = 1')": ("eval", "exec or eval"),
    "import pickle\npickle.loads(b'N.')": ("unsafe-load", "pickle"),
    "import yaml\nyaml.load('a: 1', Loader=yaml.UnsafeLoader)": ("unsafe-load", "yaml UnsafeLoader"),
    "import marshal\nmarshal.loads(marshal.dumps(1))": ("unsafe-load", "marshal"),
    "import socket\nsocket.socket().connect_ex(('127.0.0.1', 9))": ("connect", "127.0.0.1:9"),
}  # fmt: skip
HARMLESS = """
import collections, dataclasses, hashlib, hmac, pickle, random, secrets, tempfile, uuid, ast, io
secrets.token_hex(4); random.SystemRandom().random(); uuid.uuid4()
hashlib.sha256(b""); hashlib.md5(b"", usedforsecurity=False); hmac.new(b"k", b"", "sha256")
tempfile.mkdtemp(); collections.namedtuple("A", "b"); ast.literal_eval("[1]")
@dataclasses.dataclass
class D:
    x: int = 1
from Crypto.Cipher import AES
AES.new(b"1" * 16, AES.MODE_CTR)
AES.new(b"1" * 16, AES.MODE_CBC, b"0123456789abcdef")
hashlib.pbkdf2_hmac("sha256", b"p", b"s", 10000); hashlib.scrypt(b"p", salt=b"s", n=16384, r=1, p=1)
hmac.new(b"k", b"", "sha1")
import bcrypt
bcrypt.gensalt(); bcrypt.gensalt(10)
from cryptography.hazmat.primitives.ciphers import algorithms, modes
algorithms.AES(bytes(16)); modes.GCM(b"0123456789ab")
from werkzeug.http import generate_etag
generate_etag(b"x")
class Careful(pickle.Unpickler):
    def find_class(self, module, name): raise pickle.UnpicklingError(name)
"""
JAVASCRIPT = {
    "Math.random()": ("weak-random", "Math.random"),
    "require('crypto').createHash('MD5')": ("weak-hash", "md5"),
    "require('node:crypto').createCipheriv('aes-128-ecb', Buffer.alloc(16), null)": (
        "weak-cipher",
        "aes-128-ecb",
    ),
    "require('crypto').createHash('ripemd160')": ("weak-hash", "ripemd160"),
    "require('crypto').createHmac('md5', 'k')": ("weak-hash", "hmac md5"),
    "require('crypto').pbkdf2Sync('p', 's', 9999, 8, 'sha256')": ("weak-hash", "pbkdf2 9999"),
    "require('crypto').scryptSync('p', 's', 8, { N: 8192 })": ("weak-hash", "scrypt 8192"),
    "require('crypto').createCipheriv('aes-128-cbc', Buffer.alloc(16, 1), Buffer.alloc(16))": (
        "weak-cipher",
        "aes-128-cbc fixed IV or nonce",
    ),
    "require('child_process').execSync('true')": ("spawn", "execSync true"),
    "require('child_process').spawnSync('true', ['x'])": ("spawn", "spawnSync true x"),
    "require('vm').runInNewContext('1')": ("eval", "vm.runInNewContext"),
    "require('net').connect(9, '127.0.0.1').on('error', () => 0)": ("connect", "127.0.0.1:9"),
    "require('http').get('http://127.0.0.1:9/').on('error', () => 0)": ("connect", "127.0.0.1:9"),
}
NATIVE = r"""
#include <cstdio>
#include <cstdlib>
#include <ctime>
int main() { srand(time(0)); printf("%d\n", rand()); return system("true"); }
"""


def seen_calls(runner: ProgramRunner, argv: tuple[str, ...], file: str, text: str, hook: str) -> list[tuple[str, str, str]]:  # fmt: skip
    seen = runner.run(Order("run", argv, ({},), files={file: text.encode()}, hooks=(hook,)))
    assert seen.steps[0].exit == 0, seen.steps[0].stderr
    return [(call.kind, call.what, call.detail) for call in seen.calls]


def test_python_kinds_are_seen_once_with_their_place(runner: ProgramRunner) -> None:
    file = f"{HOME}/solution.py"
    text = "\n".join(
        f"for _ in range(3):\n {line}" for lines in PYTHON for line in lines.split("\n")
    )
    found = seen_calls(runner, (sys.executable, file), file, text, "python")
    numbers = {line.strip(): n for n, line in enumerate(text.split("\n"), 1)}
    for source, (kind, what) in PYTHON.items():
        place = f"{file}:{numbers[source.rpartition(chr(10))[2]]}"
        assert found.count((kind, what, place)) == 1, (source, found)


def test_python_libraries_and_safe_uses_are_not_told(runner: ProgramRunner) -> None:
    file = f"{HOME}/solution.py"
    assert seen_calls(runner, (sys.executable, file), file, HARMLESS, "python") == []


@pytest.mark.parametrize(
    ("name", "head"), [("solution.js", ""), ("solution.mjs", "import m from 'node:module';\nconst require = m.createRequire(import.meta.url);\n")]
)  # fmt: skip
def test_javascript_kinds_are_seen_with_their_place(
    runner: ProgramRunner, name: str, head: str
) -> None:
    file = f"{HOME}/{name}"
    text = head + "\n".join(f"for (let i = 0; i < 3; i++) {line};" for line in JAVASCRIPT)
    text += "\nrequire('crypto').createHash('sha256'); require('crypto').randomUUID();"
    text += "\nrequire('crypto').pbkdf2Sync('p', 's', 10000, 8, 'sha256'); require('crypto').scryptSync('p', 's', 8);"
    text += "\nrequire('crypto').createHmac('sha1', 'k');"
    found = seen_calls(runner, ("node", file), file, text, "javascript")
    first = head.count("\n") + 1
    wanted = [(k, w, f"{file}:{n}") for n, (k, w) in enumerate(JAVASCRIPT.values(), first)]
    assert sorted(found) == sorted(wanted)


def test_native_kinds_are_seen(runner: ProgramRunner, tmp_path: Path) -> None:
    files = {f"{HOME}/a.cpp": NATIVE.encode()}
    make = ("g++", "-o", f"{HOME}/a", f"{HOME}/a.cpp")
    made = runner.run(
        Order("run", make, ({},), files=files, fetch=(f"{HOME}/a",), limits=RunLimitsSpec(30))
    )
    program = {f"{HOME}/a": made.fetched[f"{HOME}/a"]}
    start = ("/bin/sh", "-c", "chmod +x a && ./a && sleep 1 && ./a")
    seen = runner.run(Order("run", start, ({},), files=program, hooks=("native",), seed=7))
    kinds = [(call.kind, call.what) for call in seen.calls]
    wanted = [("weak-random", "srand"), ("weak-random", "rand"), ("spawn", "system true")]
    assert set(kinds) == set(wanted)
    one, other = seen.steps[0].stdout.split()
    assert one == other


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("python", "import random, time\nrandom.seed(time.time())\ndef f(): return [random.random(), random.Random().random()]"),
        ("javascript", "function f() { return [Math.random(), Math.random()]; }"),
    ],
)  # fmt: skip
def test_a_seed_makes_weak_generators_repeat(
    runner: ProgramRunner, language: str, source: str
) -> None:
    def value(seed: int | None) -> object:
        seen = runner.run(
            order(language, source, ["f"], [{"call": "f"}], hooks=(language,), seed=seed)
        )
        return seen.steps[0].value

    assert value(5) == value(5) != value(6)
    assert value(None) != value(None)


def test_a_seed_leaves_strong_generators_and_own_seeds_alone(runner: ProgramRunner) -> None:
    source = "import random, secrets\ndef f(): random.seed(1); return [random.random(), secrets.token_hex(8)]"
    values = [
        runner.run(order("python", source, ["f"], [{"call": "f"}], hooks=("python",), seed=seed)).steps[0].value
        for seed in (5, 5, None)
    ]  # fmt: skip
    assert len({value[0] for value in values}) == 1
    assert len({value[1] for value in values}) == 3


def test_no_more_calls_are_told_than_may_be(runner: ProgramRunner) -> None:
    file = f"{HOME}/solution.py"
    text = "import hashlib\n" + "hashlib.md5(b'')\n" * 300
    assert len(seen_calls(runner, (sys.executable, file), file, text, "python")) == 200


def test_the_programs_own_variables_are_kept() -> None:
    given = {"PYTHONPATH": "/srv/lib", "NODE_OPTIONS": "--no-warnings"}
    made = hooks.environment(["python", "javascript"], seed=3, variables=given)
    assert made["PYTHONPATH"].endswith("hooks/python:/srv/lib")
    assert made["NODE_OPTIONS"].endswith("javascript.js --no-warnings")
    assert made["ARENA_SEED"] == "3" and "ARENA_COVERAGE" not in made


def test_an_unknown_set_is_named() -> None:
    with pytest.raises(ValueError, match="hooks: unknown set 'ruby'; there are python"):
        hooks.environment(["ruby"])


@pytest.mark.slow
def test_the_hooks_cost_a_program_little() -> None:
    hooks.prepare()
    folder = str(Path(HOOKS).parent / "python")

    def seconds(env: dict[str, str]) -> float:
        argv = [sys.executable, "-X", "importtime", "-c", "pass"]
        said = subprocess.run(argv, env=env, capture_output=True, text=True, check=True).stderr
        lines = [line for line in said.splitlines() if line.endswith(" sitecustomize")]
        return float(lines[0].split("|")[1]) / 1e6 if lines else 0.0

    env = {"PYTHONPATH": folder, "ARENA_SEEN": "/nowhere"}
    assert 0 < min(seconds(env) for _ in range(20)) < seconds({}) + 0.010
