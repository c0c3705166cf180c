"""A statement signed by an SSH key, and the signature checked: `ssh-keygen -Y` of OpenSSH 8.2 or later.

(Form: OpenSSH's PROTOCOL.sshsig. The namespace keeps a signature from being taken for that of a mail or a
commit.)
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

NAMESPACE = "run@secure-coding-arena"
PROGRAM = "ssh-keygen"
CHECK_TIMEOUT_S = 60.0
# Bytes of a file of keys.
LARGEST_KEYS = 1 << 20
# How a line of a public key begins; lines of a file of allowed signers begin with names.
PUBLIC_KEYS = ("ssh-", "ecdsa-", "sk-")
# The name of a public key that stands alone in its file.
UNNAMED = "unnamed"


@dataclass(frozen=True)
class Signer:
    """Whose signature it is. key: its fingerprint; name: by the file of keys, "" where there was none."""

    key: str
    name: str = ""


class SignatureRefused(ValueError):
    """The signature does not hold; the message is a single line."""


def sign_statement(statement: bytes, key: Path) -> bytes:
    """Sign by a private key, or by ssh-agent where `key` is a public key. Raises ValueError.

    ssh-keygen may wait for a passphrase on the terminal, hence no limit of time.
    """
    with TemporaryDirectory(prefix="arena-sign-") as folder:
        file = Path(folder) / "statement"
        file.write_bytes(statement)
        done = _run(["-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(file)], b"", None)
        if done.returncode:
            raise ValueError(f"--sign {key}: {_last_line(done)}")
        return file.with_name("statement.sig").read_bytes()


def check_signature(statement: bytes, signature: bytes, keys: Path | None) -> Signer:
    """Whose signature of this statement it is. Raises SignatureRefused where it does not hold.

    keys: a public key, or `allowed_signers` of ssh-keygen; None: any key may have signed.
    """
    with TemporaryDirectory(prefix="arena-sign-") as folder:
        file = Path(folder) / "signature"
        file.write_bytes(signature)
        signed = ["-n", NAMESPACE, "-s", str(file)]
        # First whether it holds at all: `find-principals` looks at the key only and not at the statement.
        done = _run(["-Y", "check-novalidate", *signed], statement)
        if done.returncode:
            raise SignatureRefused(f"does not hold: {_last_line(done)}")
        key = done.stdout.decode("utf-8", "replace").strip().rpartition(" ")[2][:80]
        if keys is None:
            return Signer(key)
        allowed = Path(folder) / "allowed"
        allowed.write_bytes(_allowed_signers(keys))
        done = _run(["-Y", "find-principals", "-s", str(file), "-f", str(allowed)], b"")
        name = done.stdout.decode("utf-8", "replace").partition("\n")[0]
        if done.returncode or not name:
            raise SignatureRefused(f"is by {key}, which is not in {keys}")
        options = ["-f", str(allowed), "-I", name]
        done = _run(["-Y", "verify", *options, *signed], statement)
        if done.returncode:
            raise SignatureRefused(f"does not hold: {_last_line(done)}")
        return Signer(key, keys.name if name == UNNAMED else name[:80])


def _allowed_signers(keys: Path) -> bytes:
    """The keys in the form that ssh-keygen reads. Raises ValueError."""
    try:
        with keys.open("rb") as stream:
            text = stream.read(LARGEST_KEYS + 1)
    except OSError as error:
        raise ValueError(f"--key {keys}: {error.strerror or error}") from error
    # A private key that is named by mistake is not copied into a scratch folder.
    if len(text) > LARGEST_KEYS or b"PRIVATE KEY" in text:
        raise ValueError(f"--key {keys}: is no public key and no list of allowed signers")
    lines = [line for line in text.decode("utf-8", "replace").splitlines() if line.strip()]
    named = (f"{UNNAMED} {line}" if line.startswith(PUBLIC_KEYS) else line for line in lines)
    return "".join(f"{line}\n" for line in named).encode()


def _run(
    arguments: Sequence[str], data: bytes, timeout: float | None = CHECK_TIMEOUT_S
) -> subprocess.CompletedProcess[bytes]:
    """Raises ValueError where the program is missing or does not end."""
    try:
        return subprocess.run(
            [PROGRAM, *arguments], input=data, capture_output=True, timeout=timeout, check=False
        )
    except FileNotFoundError as error:
        raise ValueError(f"{PROGRAM} is needed for signatures: install OpenSSH's client") from error
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"{PROGRAM} did not end within {timeout:.0f} s") from error


def _last_line(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = (done.stderr or done.stdout).decode("utf-8", "replace").split("\n")
    texts = [" ".join(line.split()) for line in lines if line.strip()]
    return texts[-1][:200] if texts else f"{PROGRAM} ended with {done.returncode}"
