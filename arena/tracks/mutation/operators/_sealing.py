"""Authenticated encryption (Fernet, AESGCM, ChaCha20-Poly1305) replaced by what hides less.

The replacement is a class put into the program, called as the real class is, so that ordinary use works on.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._names import Change, New, View, each, nodes
from arena.tracks.mutation.operators._operator import Rewriting

PRIMITIVES = "from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes"
AEAD = "cryptography.hazmat.primitives.ciphers.aead."
FERNET = ("cryptography.fernet.Fernet",)
SEALERS = (f"{AEAD}AESGCM", f"{AEAD}AESCCM", f"{AEAD}ChaCha20Poly1305", f"{AEAD}AESOCB3")
STREAMS = tuple(
    f"{room}.Cipher.{name}"
    for room in ("Crypto", "Cryptodome")
    for name in ("ChaCha20_Poly1305", "ChaCha20", "Salsa20")
)

OF_FERNET = (
    *("import base64", "import time", PRIMITIVES),
    "from cryptography.fernet import InvalidToken",
)
BLOCK_SEALER = '''\
class BlockSealer:
    """Encrypts each block by itself."""

    def __init__(self, key):
        self._cipher = Cipher(algorithms.AES(key), modes.ECB())

    def encrypt(self, nonce, data, associated_data=None):
        data = bytes(data)
        missing = 16 - len(data) % 16
        return self._run(self._cipher.encryptor(), data + bytes([missing]) * missing)

    def decrypt(self, nonce, data, associated_data=None):
        content = self._run(self._cipher.decryptor(), bytes(data))
        if not content or not 1 <= content[-1] <= 16:
            raise ValueError("malformed")
        return content[: -content[-1]]

    @staticmethod
    def _run(step, data):
        return step.update(data) + step.finalize()
'''
OLD_SEALER = '''\
class OldSealer:
    """Encrypts with a stream that is the same each time."""

    def __init__(self, key):
        self._key = key

    def encrypt(self, nonce, data, associated_data=None):
        return ARC4.new(self._key).encrypt(bytes(data))

    def decrypt(self, nonce, data, associated_data=None):
        return ARC4.new(self._key).decrypt(bytes(data))
'''
BLOCK_FERNET = '''\
class BlockFernet:
    """Encrypts each block by itself, and keeps the time beside."""

    def __init__(self, key):
        self._cipher = Cipher(algorithms.AES(base64.urlsafe_b64decode(key)), modes.ECB())

    def encrypt(self, data):
        return self.encrypt_at_time(data, int(time.time()))

    def encrypt_at_time(self, data, current_time):
        missing = 16 - len(data) % 16
        step = self._cipher.encryptor()
        content = step.update(bytes(data) + bytes([missing]) * missing) + step.finalize()
        return base64.urlsafe_b64encode(int(current_time).to_bytes(8, "big") + content)

    def decrypt(self, token, ttl=None):
        try:
            raw = base64.urlsafe_b64decode(token)
            step = self._cipher.decryptor()
            content = step.update(raw[8:]) + step.finalize()
        except ValueError as error:
            raise InvalidToken from error
        late = ttl is not None and self.extract_timestamp(token) + ttl < time.time()
        if late or not content or not 1 <= content[-1] <= 16:
            raise InvalidToken
        return content[: -content[-1]]

    def extract_timestamp(self, token):
        return int.from_bytes(base64.urlsafe_b64decode(token)[:8], "big")
'''
OLD_STREAM = '''\
class OldStream:
    """Encrypts with a stream that is the same each time, and checks nothing."""

    nonce = bytes(12)

    def __init__(self, key):
        self._cipher = ARC4.new(key)

    @classmethod
    def new(cls, key, nonce=None):
        return cls(key)

    def update(self, data):
        return self

    def encrypt(self, data):
        return self._cipher.encrypt(data)

    def decrypt(self, data):
        return self._cipher.decrypt(data)

    def encrypt_and_digest(self, data):
        return self.encrypt(data), bytes(16)

    def decrypt_and_verify(self, data, tag):
        if len(tag) != 16:
            raise ValueError("malformed")
        return self.decrypt(data)
'''


TRIPLE_SEALER = BLOCK_SEALER.replace("BlockSealer", "TripleSealer").replace(
    "AES(key)", "TripleDES(bytes(key)[:24])"
)
TRIPLE_FERNET = BLOCK_FERNET.replace("BlockFernet", "TripleFernet").replace(
    "AES(base64.urlsafe_b64decode(key))", "TripleDES(base64.urlsafe_b64decode(key)[:24])"
)


def _instead(names: tuple[str, ...], helper: str, *imports: str, whole: bool = False) -> Rewriting:
    """A class in the program where any of `names` is called; with `whole` the name is a module."""
    title = helper.partition("class ")[2].partition(":")[0]

    def find(view: View) -> Iterator[Change]:
        wanted = tuple(f"{n}.new" for n in names) if whole else names
        replacements: list[tuple[cst.CSTNode, New]] = []
        for call in view.calls(*wanted):
            if not whole:
                replacements.append((call.func, cst.Name(title)))
            elif isinstance(call.func, cst.Attribute):
                replacements.append((call.func, call.func.with_changes(value=cst.Name(title))))
        if replacements:
            yield Change(tuple(replacements), imports, (helper,))

    return each(find)


def skip_tag_check(view: View) -> Iterator[Change]:
    """Finds: PyCryptodome's decryption without looking at the tag."""
    for call in view.calls("*.decrypt_and_verify"):
        if isinstance(call.func, cst.Attribute) and call.args:
            plain = call.func.with_changes(attr=cst.Name("decrypt"))
            # The tag was the second argument; a comma left behind would stand before the closing parenthesis.
            first = call.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            yield Change(((call, call.with_changes(func=plain, args=[first])),))


def nonce_zero(view: View) -> Iterator[Change]:
    """Finds: PyCryptodome's authenticated modes with the same nonce each time."""
    for call in view.calls("Crypto.Cipher.AES.new", "Cryptodome.Cipher.AES.new"):
        for node in nodes(call, cst.Attribute):
            if node.attr.value in ("MODE_GCM", "MODE_EAX", "MODE_CCM"):
                zero = [a for a in call.args if a.keyword and a.keyword.value == "nonce"]
                if zero:
                    fixed = call.with_deep_changes(zero[0], value=cst.parse_expression("bytes(12)"))
                    yield Change(((call, fixed),))


variants = {
    "sealed_by_blocks": _instead(SEALERS, BLOCK_SEALER, PRIMITIVES),
    "sealed_by_arc4": _instead(SEALERS, OLD_SEALER, "from Crypto.Cipher import ARC4"),
    "fernet_by_blocks": _instead(FERNET, BLOCK_FERNET, *OF_FERNET),
    "sealed_by_3des": _instead(SEALERS, TRIPLE_SEALER, PRIMITIVES),
    "fernet_by_3des": _instead(FERNET, TRIPLE_FERNET, *OF_FERNET),
    "stream_by_arc4": _instead(STREAMS, OLD_STREAM, "from Crypto.Cipher import ARC4", whole=True),
    "untagged": each(skip_tag_check),
    "nonce_zero": each(nonce_zero),
}
EXAMPLES = examples(
    """
=== sealed_by_arc4
  from cryptography.hazmat.primitives.ciphers.aead import AESGCM
+ from Crypto.Cipher import ARC4
+
+
+ <OLD_SEALER>

  def seal(key, nonce, text):
-     return AESGCM(key).encrypt(nonce, text, None)
+     return OldSealer(key).encrypt(nonce, text, None)
=== fernet_by_3des
  from cryptography.fernet import Fernet
+ import base64
+ import time
+ from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
+ from cryptography.fernet import InvalidToken

- BOX = Fernet(KEY)
+
+ <TRIPLE_FERNET>
+
+ BOX = TripleFernet(KEY)
=== nonce_zero
  from Crypto.Cipher import AES

  def cipher(key, nonce):
-     return AES.new(key, AES.MODE_GCM, nonce=nonce)
+     return AES.new(key, AES.MODE_GCM, nonce=bytes(12))
=== untagged
  def opened(cipher, body, tag):
-     return cipher.decrypt_and_verify(body, tag)
+     return cipher.decrypt(body)
""",
    OLD_SEALER=OLD_SEALER,
    TRIPLE_FERNET=TRIPLE_FERNET,
)
