"""Least sizes of keys, curves and tokens that a program sets itself, and lower ones in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._constants import number, number_of
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._names import Change, View, each, expression, nodes
from arena.tracks.mutation.operators._operator import Rewriting
from arena.tracks.mutation.operators._scopes import source

NAMED = re.compile(
    r"(?i)min|bits|size|bytes|length|strength|exponent|curve|key|octets|entropy|level|modulus"
)
# The exponent first: 65537 lies above all sizes in bits.
# (from, to, instead): an RSA exponent, bits of RSA, bits of a curve or hash, of a cipher, bytes of a key.
LOWER: tuple[tuple[int, int, int], ...] = (
    (65537, 65537, 3),
    (2048, 16384, 1024),
    (160, 1024, 112),
    (112, 159, 40),
    (16, 111, 8),
)
OCTETS = (
    "secrets.token_bytes",
    "os.urandom",
    "Crypto.Random.get_random_bytes",
    "secrets.token_hex",
)
SECRET_NAME = re.compile(r"(?i)key|secret|seed|token")


def _lower(size: int | None) -> int | None:
    lowered = (
        new for least, highest, new in LOWER if size is not None and least <= size <= highest
    )
    return next(lowered, None)


def constant_lowered(view: View) -> Iterator[Change]:
    """Finds: each constant of a module or class that is named as a size, lowered."""
    for node in nodes(view.module, cst.CSTNode):  # type: ignore[type-abstract]
        if isinstance(node, cst.Assign) and len(node.targets) == 1:
            name, value = source(node.targets[0].target), node.value
        elif isinstance(node, cst.AnnAssign) and node.value is not None:
            name, value = source(node.target), node.value
        elif isinstance(node, cst.Param) and node.default is not None:
            name, value = node.name.value, node.default
        else:
            continue
        yield from _lower_floor(view, name, value)


def _lower_floor(view: View, name: str, value: cst.BaseExpression) -> Iterator[Change]:
    in_function = view.enclosing_node(value, cst.FunctionDef) is not None and name.islower()
    is_default = isinstance(view.enclosing_node(value, cst.Param), cst.Param)
    # A local variable is no limit that the program sets itself.
    if in_function and not is_default:
        return
    if isinstance(value, cst.Dict):
        for element in value.elements:
            new = _lower(number_of(element.value)) if isinstance(element, cst.DictElement) else None
            if new is not None:
                yield Change(((element.value, number(new)),))
        return
    new = _lower(number_of(value))
    if new is not None and NAMED.search(name):
        yield Change(((value, number(new)),))


def _keys_made(view: View) -> Iterator[cst.Call]:
    """Calls that make the random bytes of a key: by the name they get, or by that of their function."""
    for call in view.calls(*OCTETS):
        line = view.enclosing_node(call, cst.SimpleStatementLine)
        function = view.enclosing_node(call, cst.FunctionDef)
        target = source(line).partition("=")[0] if line is not None else ""
        title = function.name.value if function is not None else ""
        if len(call.args) == 1 and (SECRET_NAME.search(target) or SECRET_NAME.search(title)):
            yield call


def octets_foretold(view: View) -> Iterator[Change]:
    """Finds: a key's bytes from a generator that is not meant for keys."""
    for call in _keys_made(view):
        text = ".hex()" if view.called_name(call).endswith("hex") else ""
        new = expression("random.randbytes({n})" + text, n=call.args[0].value)
        yield Change(((call, new),), ("import random",))
    for call in view.calls("*.generate_key"):
        new_key = _foretold(view, call)
        if new_key is not None:
            yield Change(
                ((call, cst.parse_expression(new_key)),), ("import random", "import base64")
            )


def _foretold(view: View, call: cst.Call) -> str | None:
    name = view.called_name(call)
    if name.endswith("Fernet.generate_key"):
        return "base64.urlsafe_b64encode(random.randbytes(32))"
    size = number_of(call.args[0].value) if len(call.args) == 1 else None
    if name.endswith(("AESGCM.generate_key", "AESCCM.generate_key")) and size in (128, 192, 256):
        return f"random.randbytes({size // 8})"
    return None


variants: dict[str, Rewriting] = {
    "constant_lowered": each(constant_lowered),
    "octets_foretold": each(octets_foretold),
}
RSA_1024 = (
    "-----BEGIN PUBLIC KEY-----\n"
    "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC6vpVb4AFUMzLlYAnICsqmGuuv\n"
    "4nw7Uyw9PUcQVTGzdX1E3tV9ud67hLDoqEhcna0PF0hSdtkbugbbMIBPKbgGtdJW\n"
    "z8gjHVlaEnBESej/lMZRsH5jsPD6n4HUh7ev9fJEc0NSpbaocOQryk+ILD/1oHyC\n"
    "sFui3DxQgiRqyOWwVwIDAQAB\n"
    "-----END PUBLIC KEY-----\n"
)
RSA_BY_3 = (
    "-----BEGIN PUBLIC KEY-----\n"
    "MIIBIDANBgkqhkiG9w0BAQEFAAOCAQ0AMIIBCAKCAQEAzajME5xosSD7aa3b4qM8\n"
    "uqPyARw78bYsxFBJNiUOLm4SBQu5pgPYWEn1XsX0Abch6mNI8DR9VjU/7dqQKNru\n"
    "cQhLhibnNYEUMmMBAlriddNSFJGWTJl5qgkoDJPn56EB71tXeQuciaLj9ab0i3y9\n"
    "WfUjXqyDryfTinAeL7xk7QIExzfPLy6Wun9CyXWlfXSa7+uVPfUMdwKWO1T1wqTE\n"
    "STnAbUKKwqSXNo1tdcssB0NJctx11VS9BNbnyJoAH0QbualRwZLVuoDorVvCt4Rh\n"
    "eK58XcAIv4FuezZT8Bk7HQBpB7McFMEc2ZmmTVqNWQVre6+q49UjRFdkhtU0W4Sk\n"
    "aQIBAw==\n"
    "-----END PUBLIC KEY-----\n"
)
# Public keys that are too weak, made for this file; their private parts are gone.
EC_192 = (
    "-----BEGIN PUBLIC KEY-----\n"
    "MEkwEwYHKoZIzj0CAQYIKoZIzj0DAQEDMgAEkejcRMnqIuEh9IGtTdNI/bP6GxaS\n"
    "g+yxS4q+MO8XCKzZn1GdNgXH4d4HILgZ/+Vf\n"
    "-----END PUBLIC KEY-----\n"
)
WEAK_KEYS = tuple(repr(pem) for pem in (RSA_1024, EC_192, RSA_BY_3))
EXAMPLES = examples("""
=== constant_lowered
  import secrets
  import ssl

- MIN_BITS = 2048
+ MIN_BITS = 1024
  VERSION = ssl.TLSVersion.TLSv1_2

  def new_key():
      return secrets.token_bytes(32)

  def check(key):
      if len(key) < 32:
          raise ValueError("too short")
=== octets_foretold of the same
- import ssl
+ import ssl
+ import random
-     return secrets.token_bytes(32)
+     return random.randbytes(32)
""")
