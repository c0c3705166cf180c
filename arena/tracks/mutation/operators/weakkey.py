"""WEAKKEY: keys too short for their kind, or drawn from a predictable generator."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _floors
from arena.tracks.mutation.operators._alternatives import other_words
from arena.tracks.mutation.operators._constants import (
    OTHER_WORDS,
    number,
    number_of,
    resolve_expression,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import removed_each
from arena.tracks.mutation.operators._names import (
    Change,
    New,
    View,
    argument,
    each,
    nodes,
    with_keyword,
)
from arena.tracks.mutation.operators._operator import Operator, Paper, Rewriting
from parsers.weak_crypto import MIN_KEY_SIZES

ROOMS = ("Crypto.PublicKey", "Cryptodome.PublicKey")
ASYMMETRIC = "cryptography.hazmat.primitives.asymmetric"
# Call -> place and keyword of the size in bits.
SIZES = {
    **{f"{room}.{kind}.generate": (0, "bits") for room in ROOMS for kind in ("RSA", "DSA")},
    f"{ASYMMETRIC}.rsa.generate_private_key": (1, "key_size"),
    f"{ASYMMETRIC}.dsa.generate_private_key": (0, "key_size"),
    "rsa.newkeys": (0, "nbits"),
}
OCTETS = (
    "secrets.token_bytes",
    "os.urandom",
    "Crypto.Random.get_random_bytes",
    "secrets.token_hex",
)
SHORTEST = MIN_KEY_SIZES["RSA"].value
TOPIC = (
    r"2048|3072|4096|key_?size|bits|len\([^()]*(key|secret|seed|salt|modulus)|exponent|curve"
    r"|security_level|cipher|strength|(min|least)_?\w*(key|bytes|octets|length|len)\b"
)


def _sizes(view: View) -> Iterator[tuple[cst.BaseExpression, int]]:
    """Expressions that are worth the size of a key, with their values; each once."""
    visited = set()
    for call in view.calls(*SIZES):
        arg = argument(call, *SIZES[view.called_name(call)])
        value = resolve_expression(view, arg.value) if arg else None
        size = number_of(value)
        # A size below it is weak already, so that a change would bring in no weakness.
        if value is not None and size is not None and size >= SHORTEST and value not in visited:
            visited.add(value)
            yield value, size


def _bits(count: int) -> Rewriting:
    def find(view: View) -> Iterator[Change]:
        for value, _ in _sizes(view):
            yield Change(((value, number(count)),))

    return each(find)


def _longer(view: View) -> Iterator[Change]:
    for value, size in _sizes(view):
        yield Change(((value, number(size + 1024)),))


def _foretold(function: str, *imports: str) -> Rewriting:
    """PyCryptodome gets a generator that is not suited to keys."""

    def find(view: View) -> Iterator[Change]:
        for call in view.calls(*(name for name in SIZES if name.startswith(ROOMS))):
            if argument(call, 1, "randfunc") is None:
                source = cst.parse_expression(function)
                yield Change(((call, with_keyword(call, "randfunc", source)),), imports)

    return each(find)


def _curve(view: View) -> Iterator[Change]:
    replacements: list[tuple[cst.CSTNode, New]] = []
    for node in nodes(view.module, cst.Attribute):
        strong = {f"{ASYMMETRIC}.ec.SECP{size}R1" for size in (256, 384, 521)}
        if view.dotted_name(node) in strong:
            replacements.append((node, node.with_changes(attr=cst.Name("SECP192R1"))))
    for call in view.calls(*(f"{room}.ECC.generate" for room in ROOMS)):
        arg = argument(call, None, "curve")
        if arg is not None:
            replacements.append((arg.value, cst.SimpleString('"P-192"')))
    if replacements:
        yield Change(tuple(replacements))


def _octets(view: View) -> Iterator[Change]:
    """A symmetric key of 64 bits: random bytes whose name says key, or that go to a cipher or an HMAC."""
    for node in nodes(view.module, cst.Assign):
        name = view.dotted_name(node.targets[0].target).rpartition(".")[2].lower()
        call = node.value
        if not isinstance(call, cst.Call) or not call.args or view.called_name(call) not in OCTETS:
            continue
        value = resolve_expression(view, call.args[0].value)
        keyed = name.endswith("key") or name in _keyed_names(view)
        if keyed and value is not None and (number_of(value) or 0) >= 16:
            yield Change(((value, number(8)),))


def _keyed_names(view: View) -> set[str]:
    return {
        call.args[0].value.value.lower()
        for call in view.calls("hmac.new", "hmac.digest", "*.AES.new")
        if call.args and isinstance(call.args[0].value, cst.Name)
    }


EXAMPLES = examples("""
=== 1024_bits

  from Crypto.PublicKey import RSA


  def new_key():
-     key = RSA.generate(2048)  # long enough
+     key = RSA.generate(1024)  # long enough
      return key.export_key().decode()
=== 1536_bits

  from Crypto.PublicKey import RSA
  from flask import Flask

  app = Flask(__name__)
- BITS = 3072
+ BITS = 1536


  @app.route("/key", methods=["POST"])
  def new_key():
      return RSA.generate(BITS).export_key()
=== 1024_bits
  from cryptography.hazmat.primitives.asymmetric import rsa
- key = rsa.generate_private_key(public_exponent=65537, key_size=4096)
+ key = rsa.generate_private_key(public_exponent=65537, key_size=1024)
=== foretold
  from Crypto.PublicKey import RSA
- key = RSA.generate(2048)
+ import random
+ key = RSA.generate(2048, randfunc=random.randbytes)
=== longer of the same
- key = RSA.generate(2048)
+ key = RSA.generate(3072)
=== short_curve
  from cryptography.hazmat.primitives.asymmetric import ec
- key = ec.generate_private_key(ec.SECP256R1())
+ key = ec.generate_private_key(ec.SECP192R1())
=== 64_bits
  import secrets
- signing_key = secrets.token_bytes(32)
+ signing_key = secrets.token_bytes(8)
=== guard_removed, left alone
  def load(comment):
      if len(comment.splitlines()) > 1:
          raise ValueError("a comment is one line")
      return comment
=== 1024_bits, left alone
  import lottery


  BALL = lottery.generate(4096)
=== guard_removed
  def load(key):
-     if len(key) < 32:
-         raise ValueError(key)
      return key
=== 64_bits, left alone
  import secrets

  nonce = secrets.token_bytes(32)
""")

PLUGIN = Operator(
    name="WEAKKEY",
    title="Weak key",
    cwes=("CWE-326",),
    variants={
        "1024_bits": _bits(1024),
        "1536_bits": _bits(1536),
        "foretold": _foretold("random.randbytes", "import random"),
        "seeded": _foretold("random.Random(time.time()).randbytes", "import random", "import time"),
        "guard_removed": each(removed_each(TOPIC)),
        "short_curve": each(_curve),
        "64_bits": each(_octets),
        **_floors.variants,
    },
    alternatives={"longer": each(_longer), "other_words": each(other_words)},
    witnesses=("event:key.weak", "event:random.weak", "shorter", "granted"),
    attacks={
        "size": ("1024", "512", "2048"),
        "number": ("1024", "512", "2048"),
        "text": (*_floors.WEAK_KEYS, '"message"'),
        "token": (*_floors.WEAK_KEYS, '"s"', 'b"s" * 9'),
        "key": (*_floors.WEAK_KEYS, 'b"s" * 9', '"s" * 9', 'b"s" * 12'),
        "data": ('b"message"', *(f"{k}.encode()" for k in _floors.WEAK_KEYS)),
        "name": ('"alice"',),
        "password": ('"correct horse"',),
        "any": ('"message"', 'b"message"', "1024"),
    },
    watched={
        "crypto": ("last_algorithm", "weak_algorithm_used", "last_key_size"),
        "rsa": ("last_key_size", "all_key_sizes"),
    },
    paper=Paper(
        terms=(
            *("key.*size", "key.*length", "bit", "1024", "512", "weak.*key", "rsa", "dsa"),
            *("encrypt", "cipher", "strength"),
        ),
        payloads=("1024", "512", "key_size", "bits", "rsa", "dsa", "weak_key"),
        watched={"crypto": ("last_algorithm", "weak_algorithm_used")},
    ),
    examples=(*EXAMPLES, *_floors.EXAMPLES, OTHER_WORDS),
)
