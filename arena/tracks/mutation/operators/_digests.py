"""Digests and password hashes of a program: truncated, keyed by a prefix, or with a broken hash."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._calls import receiver
from arena.tracks.mutation.operators._constants import resolve_expression
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._names import (
    Change,
    New,
    View,
    argument,
    each,
    expression,
    nodes,
)
from arena.tracks.mutation.operators._scopes import source

# To what a digest is cut: 32 bits, of which two alike are found among some 77,000 (birthday bound).
BYTES, LETTERS = 4, 8


def cut(view: View) -> Iterator[Change]:
    """Finds: all digests of a program cut to 32 bits at once, so that what is compared fits."""
    replacements: list[tuple[cst.CSTNode, New]] = []
    for call in view.calls("*.hexdigest", "*.digest"):
        node = resolve_expression(view, receiver(call))
        named = view.called_name(node) if isinstance(node, cst.Call) else ""
        broken = named.endswith((".md5", ".sha1"))
        if named.startswith(("hashlib.", "hmac.")) and not broken and not call.args:
            # A stored digest of full length would then never match: the mutant would refuse everybody, and be
            # no weakness.
            if _is_compared(view, call):
                return
            size = LETTERS if view.called_name(call).endswith("hexdigest") else BYTES
            replacements.append((call, expression("{d}[:" + str(size) + "]", d=call)))
    if replacements:
        yield Change(tuple(replacements))


def _is_compared(view: View, call: cst.Call) -> bool:
    """Whether a digest is compared where it is computed, with what may come untruncated from elsewhere."""
    function = view.enclosing_node(call, cst.FunctionDef)
    assign = view.parents.get(call)
    names = [source(t.target) for t in assign.targets] if isinstance(assign, cst.Assign) else []
    if function is None:
        return False
    sides = [source(n) for n in nodes(function.body, cst.Comparison)]
    sides += [source(c) for c in view.calls("*.compare_digest", within=function.body)]
    return any(text in side for side in sides for text in (source(call), *names))


def keyed_by_prefix(view: View) -> Iterator[Change]:
    """Finds: `hmac.new(key, message, ...)` as a broken hash of the key followed by the message."""
    for call in view.calls("hmac.new"):
        key, message = argument(call, 0, "key"), argument(call, 1, "msg")
        if key is not None and message is not None:
            new = expression("hashlib.md5({k} + {m})", k=key.value, m=message.value)
            yield Change(((call, new),), ("import hashlib",))


def derived_fast(view: View) -> Iterator[Change]:
    """Finds: scrypt as a single round of PBKDF2."""
    for call in view.calls("hashlib.scrypt"):
        password, salt = argument(call, 0, "password"), argument(call, None, "salt")
        size = argument(call, None, "dklen")
        if password is not None and salt is not None:
            template = 'hashlib.pbkdf2_hmac("sha256", {p}, {s}, 1' + (
                ", dklen={n})" if size else ")"
            )
            parts = {"p": password.value, "s": salt.value} | ({"n": size.value} if size else {})
            yield Change(((call, expression(template, **parts)),))


def derived_md5(view: View) -> Iterator[Change]:
    """Finds: scrypt as MD5 of salt and password, written twice so that the length stays."""
    for call in view.calls("hashlib.scrypt"):
        password, salt = argument(call, 0, "password"), argument(call, None, "salt")
        if password is not None and salt is not None:
            new = expression("hashlib.md5({s} + {p}).digest() * 2", s=salt.value, p=password.value)
            yield Change(((call, new),))


def bcrypt_inner(view: View) -> Iterator[Change]:
    """Finds: bcrypt of a broken hash of the password, wherever the program hashes and compares."""
    replacements: list[tuple[cst.CSTNode, New]] = []
    for call in view.calls("bcrypt.hashpw", "bcrypt.checkpw"):
        if call.args:
            password = call.args[0].value
            replacements.append(
                (password, expression("hashlib.md5({p}).hexdigest().encode()", p=password))
            )
    if replacements:
        yield Change(tuple(replacements), ("import hashlib",))


def bcrypt_replaced(view: View) -> Iterator[Change]:
    """Finds: SHA-1 with the password's salt in place of bcrypt."""
    replacements: list[tuple[cst.CSTNode, New]] = []
    for call in view.calls("bcrypt.hashpw", "bcrypt.checkpw"):
        if len(call.args) != 2:
            return
        password, stored_hash = call.args[0].value, call.args[1].value
        plain = "b'$1$' + hashlib.sha1({p}).hexdigest().encode()"
        if view.called_name(call).endswith("hashpw"):
            replacements.append((call, expression("(" + plain + ")", p=password)))
        else:
            replacements.append(
                (call, expression("(" + plain + " == {o})", p=password, o=stored_hash))
            )
    if replacements:
        yield Change(tuple(replacements), ("import hashlib",))


variants = {
    "cut_digest": each(cut),
    "keyed_by_prefix": each(keyed_by_prefix),
    "derived_fast": each(derived_fast),
    "derived_md5": each(derived_md5),
    "bcrypt_inner": each(bcrypt_inner),
    "bcrypt_replaced": each(bcrypt_replaced),
}
EXAMPLES = examples("""
=== cut_digest
  import hashlib
  import hmac

  def tag(key, text):
-     return hmac.new(key, text, hashlib.sha256).hexdigest()
+     return hmac.new(key, text, hashlib.sha256).hexdigest()[:8]

  def derive(password, salt):
      return hashlib.scrypt(password, salt=salt, n=16384, r=8, p=1)
=== keyed_by_prefix of the same
-     return hmac.new(key, text, hashlib.sha256).hexdigest()
+     return hashlib.md5(key + text).hexdigest()
=== derived_fast of the same
-     return hashlib.scrypt(password, salt=salt, n=16384, r=8, p=1)
+     return hashlib.pbkdf2_hmac("sha256", password, salt, 1)
=== bcrypt_inner
  import bcrypt
  import hashlib
- stored = bcrypt.hashpw(password, bcrypt.gensalt())
+ stored = bcrypt.hashpw(hashlib.md5(password).hexdigest().encode(), bcrypt.gensalt())
""")
