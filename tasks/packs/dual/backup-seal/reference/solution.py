"""Seals backups, and opens them again."""

import base64
import hashlib
import os
import re
import secrets
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PIECE, TAG, LEAST = 1000, 16, 12
HEAD = re.compile(rb"sealed-1 ([0-9a-f]{32}) ([0-9a-f]{14})")


class Damaged(Exception):
    """The input was not sealed so."""


def cipher_of(passphrase, salt):
    return AESGCM(hashlib.scrypt(passphrase.encode(), salt=salt, n=16384, r=8, p=1, dklen=32))


def nonce_of(prefix, number, is_last):
    return prefix + number.to_bytes(4, "big") + bytes([is_last])


def seal(passphrase, backup):
    salt, prefix = secrets.token_bytes(16), secrets.token_bytes(7)
    cipher = cipher_of(passphrase, salt)
    pieces = [backup[at : at + PIECE] for at in range(0, len(backup), PIECE)] or [b""]
    lines = [f"sealed-1 {salt.hex()} {prefix.hex()}".encode()]
    for number, piece in enumerate(pieces):
        nonce = nonce_of(prefix, number, number == len(pieces) - 1)
        lines.append(base64.b64encode(cipher.encrypt(nonce, piece, None)))
    return b"".join(line + b"\n" for line in lines)


def opened(cipher, nonce, line):
    try:
        return cipher.decrypt(nonce, base64.b64decode(line, validate=True), None)
    except (InvalidTag, ValueError) as error:
        raise Damaged from error


def open_(passphrase, sealed):
    head, *lines = sealed.split(b"\n")
    fields = HEAD.fullmatch(head)
    if not fields or len(lines) < 2 or lines.pop() != b"":
        raise Damaged
    salt, prefix = (bytes.fromhex(field.decode()) for field in fields.groups())
    cipher, last = cipher_of(passphrase, salt), len(lines) - 1
    pieces = []
    for number, line in enumerate(lines):
        pieces.append(opened(cipher, nonce_of(prefix, number, number == last), line))
    full, rest = pieces[:-1], pieces[-1]
    if any(len(piece) != PIECE for piece in full) or len(rest) > PIECE or (full and not rest):
        raise Damaged
    return b"".join(pieces)


COMMANDS = {"seal": seal, "open": open_}


def main(arguments):
    passphrase = os.environ.get("BACKUP_PASSPHRASE", "")
    if len(arguments) != 1 or arguments[0] not in COMMANDS or len(passphrase) < LEAST:
        print("usage: seal or open, with a BACKUP_PASSPHRASE of 12 characters", file=sys.stderr)
        return 2
    try:
        result = COMMANDS[arguments[0]](passphrase, sys.stdin.buffer.read())
    except Damaged:
        print("not a sealed backup, or another passphrase", file=sys.stderr)
        return 3
    sys.stdout.buffer.write(result)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
