"""WEAKCRYPTO: broken hashes, ciphers and modes, and password hashes with too few rounds."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _digests, _sealing
from arena.tracks.mutation.operators._alternatives import other_words
from arena.tracks.mutation.operators._ciphers import constant_iv, electronic_codebook, old_cipher
from arena.tracks.mutation.operators._constants import (
    OTHER_WORDS,
    number_of,
    resolve_expression,
    string,
    text_of,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._names import (
    Change,
    New,
    View,
    argument,
    each,
    expression,
    nodes,
    rewrite_calls,
)
from arena.tracks.mutation.operators._operator import Operator, Paper, Rewriting
from arena.tracks.mutation.operators._scopes import source

STRONG = re.compile(r"(?i)sha[-_]?(224|256|384|512)|sha3[-_](224|256|384|512)|blake2[bs]")
# Call -> place and keyword of the argument that names a hash.
ALGORITHM = {"hashlib.new": (0, "name"), "hashlib.pbkdf2_hmac": (0, "hash_name")} | {
    "hmac.new": (2, "digestmod"),
    "hmac.digest": (2, "digest"),
}


def _is_in_import(view: View, node: cst.CSTNode) -> bool:
    return (
        view.enclosing_node(node, cst.ImportFrom) is not None
        or view.enclosing_node(node, cst.Import) is not None
    )


def _functions(view: View, weak: str) -> Iterator[tuple[cst.CSTNode, New]]:
    """Uses of `hashlib.sha256` and the like, and of the same in the library cryptography."""
    for node in nodes(view.module, cst.CSTNode):  # type: ignore[type-abstract]
        if not isinstance(node, cst.Attribute | cst.Name) or _is_in_import(view, node):
            continue
        room, _, name = view.dotted_name(node).rpartition(".")
        call = view.parents.get(node)
        if isinstance(call, cst.Call) and any(a.keyword for a in call.args):
            continue  # digest_size= and key= are not for every hash
        if room == "hashlib" and STRONG.fullmatch(name):
            yield node, _rename_hash(node, weak)
        elif room == "cryptography.hazmat.primitives.hashes" and STRONG.fullmatch(name):
            yield node, _rename_hash(node, weak.upper())


def _rename_hash(node: cst.Attribute | cst.Name, name: str) -> cst.CSTNode:
    if isinstance(node, cst.Attribute):
        return node.with_changes(attr=cst.Name(name))
    return expression(f"hashlib.{name}")


def _literals(view: View, weak: str) -> Iterator[tuple[cst.CSTNode, New]]:
    """Names of hashes that are passed as text, and those that the caller chooses."""
    for call in view.calls(*ALGORITHM):
        arg = argument(call, *ALGORITHM[view.called_name(call)])
        if arg is None:
            continue
        value = resolve_expression(view, arg.value)
        text = text_of(value)
        if value is not None and text is not None and STRONG.fullmatch(text):
            yield value, string(weak, value)
        # The caller names the hash: whatever it asks for, it gets the weak one.
        elif value is None and isinstance(arg.value, cst.Name):
            yield arg.value, string(weak)


def _weaker(weak: str) -> Rewriting:
    def find(view: View) -> Iterator[Change]:
        replacements = {
            # By identity: two equal nodes at different places are both to change.
            id(old): (old, new)
            for old, new in (*_functions(view, weak), *_literals(view, weak))
        }
        if replacements:
            bare = any(
                isinstance(old, cst.Name) and isinstance(new, cst.Attribute)
                for old, new in replacements.values()
            )
            yield Change(tuple(replacements.values()), ("import hashlib",) if bare else ())

    return each(find)


def _rounds(count: int) -> Rewriting:
    def find(view: View) -> Iterator[Change]:
        for call in view.calls("hashlib.pbkdf2_hmac"):
            arg = argument(call, 3, "iterations")
            value = resolve_expression(view, arg.value) if arg else None
            if value is not None and (number_of(value) or 0) > count:
                yield Change(((value, cst.Integer(str(count))),))

    return each(find)


def _cost(view: View, call: cst.Call) -> cst.BaseExpression | None:
    """bcrypt's lowest cost, and scrypt's."""
    if view.called_name(call) == "bcrypt.gensalt":
        arg = argument(call, 0, "rounds")
        return (
            None
            if arg and (number_of(arg.value) or 0) <= 4
            else expression(f"{source(call.func)}(4)")
        )
    arg = argument(call, None, "n")
    return call.with_deep_changes(arg, value=cst.Integer("2")) if arg else None


def _prehash_input(view: View, call: cst.Call) -> cst.BaseExpression | None:
    position = 1 if view.called_name(call) == "hashlib.pbkdf2_hmac" else 0
    arg = argument(call, position, "password" if position else "data")
    if arg is None:
        return None
    new = expression("hashlib.md5({data}).digest()", data=arg.value)
    return call.with_deep_changes(arg, value=new)


def _fast(view: View, call: cst.Call) -> cst.BaseExpression | None:
    password, salt = argument(call, 1, "password"), argument(call, 2, "salt")
    # A digest of SHA-1 has 20 bytes, so a call for another length would not get what it asks for.
    if password is None or salt is None or argument(call, 4, "dklen"):
        return None
    return expression(
        "hashlib.sha1({salt} + {password}).digest()", salt=salt.value, password=password.value
    )


def _allow_weak_hash(weak: str) -> Rewriting:
    """A list of allowed hashes that holds a broken hash too."""

    def find(view: View) -> Iterator[Change]:
        for node in nodes(view.module, cst.CSTNode):  # type: ignore[type-abstract]
            if (
                isinstance(node, cst.List | cst.Tuple | cst.Set)
                and len(node.elements) > 1
                and _all_strong(node)
            ):
                added = string(weak, node.elements[0].value)
                yield Change(
                    ((node, node.with_changes(elements=[*node.elements, cst.Element(added)])),)
                )

    return each(find)


def _all_strong(node: cst.List | cst.Tuple | cst.Set) -> bool:
    return all(STRONG.fullmatch(text_of(element.value) or "") for element in node.elements)


def _checks(view: View) -> Iterator[tuple[cst.If, cst.Comparison]]:
    """`if name not in <strong hashes>: raise ...`"""
    for branch in nodes(view.module, cst.If):
        test = branch.test
        if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1 or branch.orelse:
            continue
        node = resolve_expression(view, test.comparisons[0].comparator)
        listed = isinstance(node, cst.List | cst.Tuple | cst.Set) and _all_strong(node)
        if listed and isinstance(test.comparisons[0].operator, cst.NotIn):
            yield branch, test


def _drop_checks(view: View) -> Iterator[Change]:
    for branch, _ in _checks(view):
        yield Change(((branch, None),))


def _downgrade_to_md5(view: View) -> Iterator[Change]:
    for branch, test in _checks(view):
        if isinstance(test.left, cst.Name):
            line = cst.parse_statement(f'{test.left.value} = "md5"')
            yield Change(((branch.body, cst.IndentedBlock([line])),))


def _longer(view: View) -> Iterator[Change]:
    for call in view.calls("hashlib.pbkdf2_hmac"):
        arg = argument(call, 3, "iterations")
        value = resolve_expression(view, arg.value) if arg else None
        count = number_of(value)
        if value is not None and count:
            yield Change(((value, cst.Integer(str(count * 2))),))


EXAMPLES = examples("""
=== md5

  import hashlib


  def matches(data, digest):
-     return hashlib.sha256(data).hexdigest() == digest  # constant
+     return hashlib.md5(data).hexdigest() == digest  # constant
=== sha1

  import hashlib
  from flask import Flask, request

  app = Flask(__name__)


  @app.route("/digest", methods=["POST"])
  def digest():
-     return hashlib.new("sha256", request.data).hexdigest()
+     return hashlib.new("sha1", request.data).hexdigest()
=== few_rounds

  import hashlib

- ROUNDS = 600_000
+ ROUNDS = 1000


  class Vault:
      def derive(self, password, salt):
          return hashlib.pbkdf2_hmac("sha256", password, salt, ROUNDS)
=== allows_md5
  import hashlib
- SAFE = ['sha256', 'sha512']
+ SAFE = ['sha256', 'sha512', 'md5']
=== fast_hash
  import hashlib
- key = hashlib.pbkdf2_hmac('sha256', password, salt, 100000)
+ key = hashlib.sha1(salt + password).digest()
=== inner_md5
  from hashlib import sha256
  import hashlib
- x = sha256(b"x").digest()
+ x = sha256(hashlib.md5(b"x").digest()).digest()
=== sha512
  import hashlib
- print(hashlib.sha256(b'x').hexdigest())
+ print(hashlib.sha512(b'x').hexdigest())
=== md5, left alone
  import hashlib


  def etag(data):
      return hashlib.md5(data).hexdigest()
=== few_rounds, left alone
  from flask import Flask
  ROUNDS = 600_000
=== more_rounds
  import hashlib
- key = hashlib.pbkdf2_hmac('sha256', password, salt, 600000)
+ key = hashlib.pbkdf2_hmac('sha256', password, salt, 1200000)
""")

PLUGIN = Operator(
    name="WEAKCRYPTO",
    title="Weak hash, cipher, mode or password hashing",
    cwes=("CWE-327", "CWE-328", "CWE-916"),
    variants={
        "md5": _weaker("md5"),
        "sha1": _weaker("sha1"),
        "few_rounds": _rounds(1000),
        "one_round": _rounds(1),
        "low_cost": rewrite_calls(_cost, "bcrypt.gensalt", "hashlib.scrypt"),
        "fast_hash": rewrite_calls(_fast, "hashlib.pbkdf2_hmac"),
        "inner_md5": rewrite_calls(
            _prehash_input,
            *("hashlib.sha256", "hashlib.sha512", "hashlib.pbkdf2_hmac"),
            imports=("import hashlib",),
        ),
        "allows_md5": _allow_weak_hash("md5"),
        "allows_sha1": _allow_weak_hash("sha1"),
        "unchecked": each(_drop_checks),
        "downgraded": each(_downgrade_to_md5),
        "ecb": electronic_codebook,
        "constant_iv": constant_iv,
        "old_cipher": old_cipher,
        **_sealing.variants,
        **_digests.variants,
    },
    alternatives={
        "sha512": _weaker("sha512"),
        "more_rounds": each(_longer),
        "other_words": each(other_words),
    },
    witnesses=("event:hash.weak", "event:cipher.weak", "shorter", "granted"),
    attacks={
        "name": ('"md5"', '"sha1"', '"sha256"', '"no-such-hash"'),
        "config": ('"md5"', '"sha1"'),
        "password": ('"correct horse"',),
        "text": ('"md5"', '"sha1"', '"correct horse"'),
        "data": ('b"correct horse"', 'b""'),
        "key": ('b"k" * 32', 'b"k" * 16'),
        "any": ('"correct horse"', 'b"correct horse"'),
    },
    watched={
        "crypto": (
            "last_algorithm",
            "weak_algorithm_used",
            "strong_algorithm_used",
            "algorithms_used",
        )
    },
    paper=Paper(
        terms=(
            *("md5", "sha1", "weak.*algorithm", "hash", "encrypt", "bcrypt", "salt", "iteration"),
            *("weak_algorithm_used", "last_algorithm", "crypto", "digest", "pbkdf"),
        ),
        payloads=(
            "md5",
            "sha1",
            "sha256",
            "sha512",
            "bcrypt",
            "weak_algorithm",
            "strong_algorithm",
        ),
        watched={
            "crypto": (
                "last_algorithm",
                "weak_algorithm_used",
                "strong_algorithm_used",
                "algorithms_used",
            )
        },
    ),
    examples=(*EXAMPLES, *_sealing.EXAMPLES, *_digests.EXAMPLES, OTHER_WORDS),
)
