"""Ciphers of cryptography and PyCryptodome are weakened: mode, initialisation vector, algorithm."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._constants import assigned_values
from arena.tracks.mutation.operators._names import (
    Change,
    New,
    View,
    argument,
    each,
    expression,
    nodes,
    remove_argument,
    rewrite_calls,
)

MODES = "cryptography.hazmat.primitives.ciphers.modes."
FRESH = (
    "os.urandom",
    "secrets.token_bytes",
    "Crypto.Random.get_random_bytes",
    "Cryptodome.Random.get_random_bytes",
)
# Call -> place and keyword of the argument that must never be the same twice.
WITH_IV = {
    f"{MODES}CBC": (0, "initialization_vector"),
    f"{MODES}CTR": (0, "nonce"),
    f"{MODES}CFB": (0, "initialization_vector"),
    f"{MODES}OFB": (0, "initialization_vector"),
    f"{MODES}GCM": (0, "initialization_vector"),
    "Crypto.Cipher.AES.new": (2, "iv"),
}
SEALED = ("AESGCM", "AESCCM", "ChaCha20Poly1305")


def _ecb(view: View, call: cst.Call) -> cst.BaseExpression | None:
    if view.called_name(call) == "Crypto.Cipher.AES.new":
        return _pycryptodome_ecb(view, call)
    if isinstance(call.func, cst.Attribute):
        return call.with_changes(func=call.func.with_changes(attr=cst.Name("ECB")), args=[])
    return None


def _pycryptodome_ecb(view: View, call: cst.Call) -> cst.BaseExpression | None:
    mode, vector = argument(call, 1, "mode"), argument(call, 2, "iv")
    if mode is None or vector is None or not view.dotted_name(mode.value).endswith(".MODE_CBC"):
        return None
    if not isinstance(mode.value, cst.Attribute):
        return None
    # pycryptodome refuses a vector in ECB: the mutant would fail at once, for no reason of security.
    plain = remove_argument(call, vector)
    return plain.with_deep_changes(mode.value, attr=cst.Name("MODE_ECB"))


# ECB, where equal blocks stay equal, for a mode that hides them.
electronic_codebook = rewrite_calls(_ecb, f"{MODES}CBC", f"{MODES}CTR", "Crypto.Cipher.AES.new")


def _vectors(view: View) -> Iterator[cst.BaseExpression]:
    """Arguments that are an initialisation vector or nonce."""
    for call in view.calls(*WITH_IV):
        vector = argument(call, *WITH_IV[view.called_name(call)]) or argument(call, None, "nonce")
        if vector is not None:
            yield vector.value
    for call in view.calls("*.encrypt"):
        if len(call.args) >= 2 and _is_sealed(view, call.func):
            yield call.args[0].value


def _is_sealed(view: View, func: cst.BaseExpression) -> bool:
    """Whether a method belongs to an AEAD object that the same program creates."""
    if not isinstance(func, cst.Attribute):
        return False
    owner = func.value
    if isinstance(owner, cst.Name):
        values = assigned_values(view, owner.value)
        owner = values[0] if len(values) == 1 else owner
    return isinstance(owner, cst.Call) and view.called_name(owner).endswith(SEALED)


def _constant(view: View) -> Iterator[Change]:
    replacements: list[tuple[cst.CSTNode, New]] = []
    for value in _vectors(view):
        sources = assigned_values(view, value.value) if isinstance(value, cst.Name) else [value]
        for source in sources:
            if isinstance(source, cst.Call) and view.called_name(source) in FRESH and source.args:
                replacements.append(
                    (source, expression("bytes({size})", size=source.args[0].value))
                )
    if replacements:
        yield Change(tuple(replacements))


# An initialisation vector or nonce of zeros for a fresh one.
constant_iv = each(_constant)

OLDER = {"cryptography.hazmat.primitives.ciphers.algorithms.AES": "TripleDES"}


def _older(view: View) -> Iterator[Change]:
    """3DES takes AES's keys of 128 and 192 bits; its blocks, and so its vectors, are of 8 bytes."""
    replacements: list[tuple[cst.CSTNode, New]] = []
    for node in nodes(view.module, cst.Attribute):
        if view.dotted_name(node) in OLDER:
            replacements.append(
                (node, node.with_changes(attr=cst.Name(OLDER[view.dotted_name(node)])))
            )
    if not replacements:
        return
    for value in _vectors(view):
        sources = assigned_values(view, value.value) if isinstance(value, cst.Name) else [value]
        for source in sources:
            if isinstance(source, cst.Call) and view.called_name(source) in FRESH and source.args:
                replacements.append((source.args[0].value, cst.Integer("8")))
    yield Change(tuple(replacements))


# 3DES for AES.
old_cipher = each(_older)
