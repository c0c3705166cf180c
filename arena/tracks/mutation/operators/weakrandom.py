"""WEAKRANDOM: secrets from a generator whose next values can be foretold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import libcst as cst

from arena.tracks.mutation.operators._alternatives import other_words
from arena.tracks.mutation.operators._constants import (
    OTHER_WORDS,
    number,
    number_of,
    resolve_expression,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._names import Change, New, View, each, expression, nodes
from arena.tracks.mutation.operators._operator import Operator, Paper, Rewriting

LETTERS = "string.ascii_letters + string.digits"
# Bytes that `secrets` takes where none are asked for (its documentation: DEFAULT_ENTROPY).
SIZE = "32"

# Call -> the expression in its place; {n} stands for the argument that was given.
Sources = Mapping[str, str]

DRAWN: Sources = {
    # Base64 writes three bytes as four letters, so the length stays as it was.
    "secrets.token_urlsafe": f"''.join(random.choices({LETTERS} + '-_', k={{n}} * 4 // 3))",
    "secrets.token_hex": "''.join(random.choice('0123456789abcdef') for _ in range({n} * 2))",
    "secrets.token_bytes": "bytes(random.randrange(256) for _ in range({n}))",
    "os.urandom": "bytes(random.randrange(256) for _ in range({n}))",
    "secrets.choice": "random.choice({n})",
    "secrets.randbelow": "random.randrange({n})",
    "secrets.randbits": "random.getrandbits({n})",
    "uuid.uuid4": "uuid.UUID(int=random.getrandbits(128), version=4)",
}
OCTETS: Sources = {
    "secrets.token_urlsafe": "base64.urlsafe_b64encode(random.randbytes({n})).rstrip(b'=').decode()",
    "secrets.token_hex": "random.randbytes({n}).hex()",
    "secrets.token_bytes": "random.randbytes({n})",
    "os.urandom": "random.randbytes({n})",
}
BITS: Sources = {
    "secrets.token_urlsafe": "'%x' % random.getrandbits({n} * 8)",
    "secrets.token_hex": "'%0*x' % ({n} * 2, random.getrandbits({n} * 8))",
    "secrets.token_bytes": "random.getrandbits({n} * 8).to_bytes({n}, 'big')",
    "os.urandom": "random.getrandbits({n} * 8).to_bytes({n}, 'big')",
    "secrets.randbelow": "int(random.random() * {n})",
    "secrets.choice": "random.sample({n}, 1)[0]",
}
HASHED: Sources = {
    "secrets.token_urlsafe": "hashlib.sha256(str(random.random()).encode()).hexdigest()[:{n} * 4 // 3]",
    "secrets.token_hex": "hashlib.sha256(str(random.random()).encode()).hexdigest()[:{n} * 2]",
    "secrets.token_bytes": "hashlib.sha256(str(random.random()).encode()).digest()[:{n}]",
}


BELOW: Sources = {
    "secrets.choice": "random.choice({n})",
    "secrets.randbelow": "random.randrange({n})",
    "secrets.randbits": "random.getrandbits({n})",
    "uuid.uuid4": "uuid.UUID(int=random.getrandbits(128), version=4)",
}


def _sources(view: View, sources: Sources) -> Iterator[tuple[cst.Call, cst.BaseExpression]]:
    for call in view.calls(*sources):
        if len(call.args) > 1 or any(arg.star for arg in call.args):
            continue
        value = call.args[0].value if call.args else cst.Integer(SIZE)
        template = sources[view.called_name(call)]
        yield call, expression(template, **({"n": value} if "{n}" in template else {}))


def _instead(sources: Sources, change: Callable[[str], str] = str) -> Rewriting:
    """All the program's calls at once, so that values that are compared still agree."""

    def find(view: View) -> Iterator[Change]:
        replacements: list[tuple[cst.CSTNode, New]] = []
        changed = {name: change(source) for name, source in sources.items()}
        replacements.extend(_sources(view, changed))
        if replacements:
            code = "\n".join(changed[view.called_name(call)] for call in view.calls(*changed))
            yield Change(tuple(replacements), _imports(code))

    return each(find)


def _imports(code: str) -> tuple[str, ...]:
    """The modules that a piece of code stands on."""
    rooms = ("base64", "hashlib", "random", "string", "time", "uuid")
    return tuple(f"import {room}" for room in rooms if f"{room}." in code)


def _seed_by_time(source: str) -> str:
    return source.replace("random.", "random.Random(int(time.time())).")


def _system(view: View) -> Iterator[Change]:
    """`random.SystemRandom()` and `secrets.SystemRandom()` become `random.Random()`."""
    for call in view.calls("random.SystemRandom", "secrets.SystemRandom"):
        yield Change(((call, expression("random.Random()")),), ("import random",))


def _seed_system_random(view: View) -> Iterator[Change]:
    """The system's generator becomes a generator whose seed is the time in seconds."""
    for call in view.calls("random.SystemRandom", "secrets.SystemRandom"):
        seeded = expression("random.Random(int(time.time()))")
        yield Change(((call, seeded),), ("import random", "import time"))


def _use_module_generator(view: View) -> Iterator[Change]:
    """The module's generator replaces a generator of the system that has a name."""
    for node in nodes(view.module, cst.Assign):
        is_generator = isinstance(node.value, cst.Call) and view.called_name(node.value).endswith(
            "SystemRandom"
        )
        if is_generator:
            yield Change(((node.value, cst.Name("random")),), ("import random",))


def _longer(view: View) -> Iterator[Change]:
    for call in view.calls("secrets.token_urlsafe", "secrets.token_hex", "secrets.token_bytes"):
        value = resolve_expression(view, call.args[0].value) if call.args else None
        size = number_of(value)
        if value is not None and size:
            yield Change(((value, number(size + 16)),))


def _as_hex(view: View) -> Iterator[Change]:
    for node in nodes(view.module, cst.Attribute):
        if view.dotted_name(node) == "secrets.token_urlsafe":
            yield Change(((node, node.with_changes(attr=cst.Name("token_hex"))),))


EXAMPLES = examples("""
=== octets

  import secrets
+ import base64
+ import random


  def reset_code(prefix="r"):
-     return f'{prefix}_{secrets.token_urlsafe(24)}'  # strong
+     return f'{prefix}_{base64.urlsafe_b64encode(random.randbytes(24)).rstrip(b"=").decode()}'  # strong
=== drawn

  import secrets
  from flask import Flask, session
+ import random

  app = Flask(__name__)


  @app.route("/start")
  def start():
-     session["token"] = secrets.token_hex(16)
+     session["token"] = ''.join(random.choice('0123456789abcdef') for _ in range(16 * 2))
      return "ok"
=== bits
  from os import urandom
+ import random


  class Keys:
      def make(self, size):
-         return urandom(size)
+         return random.getrandbits(size * 8).to_bytes(size, 'big')
=== hashed
  import secrets
- token = secrets.token_hex()
+ import hashlib
+ import random
+ token = hashlib.sha256(str(random.random()).encode()).hexdigest()[:32 * 2]
=== seeded
  import secrets
- token = secrets.token_bytes(16)
+ import random
+ import time
+ token = random.Random(int(time.time())).randbytes(16)
=== longer of the same
- token = secrets.token_bytes(16)
+ token = secrets.token_bytes(32)
=== not_system
  import random
- dice = random.SystemRandom()
+ dice = random.Random()
=== own_seed of the same
- dice = random.SystemRandom()
+ import time
+ dice = random.Random(int(time.time()))
=== shared of the same
- dice = random.SystemRandom()
+ dice = random
=== as_hex
  import secrets
- token = secrets.token_urlsafe(16)
+ token = secrets.token_hex(16)
=== octets, left alone
  import random


  def roll():
      return random.randint(1, 6)
=== drawn, left alone
  import secrets


  SAME = secrets.compare_digest(a, b)
""")

PLUGIN = Operator(
    name="WEAKRANDOM",
    title="Predictable random values",
    cwes=("CWE-338", "CWE-330"),
    variants={
        "drawn": _instead(DRAWN),
        "octets": _instead(OCTETS),
        "bits": _instead(BITS),
        "hashed": _instead(HASHED),
        "seeded": _instead(OCTETS, _seed_by_time),
        "not_system": each(_system),
        "own_seed": each(_seed_system_random),
        "shared": each(_use_module_generator),
        "drawn_by_time": _instead(BELOW, _seed_by_time),
    },
    alternatives={
        "longer": each(_longer),
        "as_hex": each(_as_hex),
        "other_words": each(other_words),
    },
    witnesses=("event:random.weak", "repeated"),
    attacks={
        "text": ('"abc"',),
        "name": ('"abc"',),
        "size": ("8", "32"),
        "number": ("8", "32"),
        "user": ('"alice"',),
        "email": ('"alice@example.test"',),
        "id": ('"42"', "42"),
        "any": ('"abc"', "8"),
    },
    watched={
        "random": ("weak_prng_used", "secure_prng_used", "last_function"),
        "secrets": ("last_function",),
    },
    paper=Paper(
        terms=(
            *("random", "seed", "urandom", "secrets", "cryptographic", "predictable", "entropy"),
            *("prng", "secure.*random"),
        ),
        payloads=("random", "secrets", "urandom", "predictable", "secure_random", "SystemRandom"),
        watched={"random": ("weak_prng_used", "secure_prng_used", "last_function")},
    ),
    examples=(*EXAMPLES, OTHER_WORDS),
)
