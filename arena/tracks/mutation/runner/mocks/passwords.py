"""`bcrypt`, the library itself, which records whether it was called."""

from __future__ import annotations

from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import observed_module, spy
from parsers.weak_crypto import MIN_COSTS

STATE: dict[str, Any] = {"hash_called": False, "check_called": False, "last_password": None}


def PLUGIN(log: Log) -> Supplied:
    """`bcrypt`."""
    import bcrypt

    def hashing(password: Any = None, salt: Any = b"", *args: Any) -> None:
        module._note(hash_called=True, last_password=password)
        # A salt of bcrypt begins with "$2b$" and the two digits of its cost.
        rounds = bytes(salt)[4:6] if isinstance(salt, bytes | bytearray) else b""
        few = rounds.isdigit() and int(rounds) < MIN_COSTS["bcrypt"].value
        log.event("hash.weak" if few else "hash.strong", f"bcrypt {rounds.decode()}")

    def checking(*args: Any, **kwargs: Any) -> None:
        module._note(check_called=True)

    module = observed_module(
        bcrypt,
        log,
        "bcrypt",
        STATE,
        hashpw=spy(bcrypt.hashpw, hashing),
        checkpw=spy(bcrypt.checkpw, checking),
    )
    return Supplied(modules={"bcrypt": module}, names={"bcrypt": module})


_B = (
    "import bcrypt\ndef keep(text, rounds):\n"
    "    kept = bcrypt.hashpw(text.encode(), bcrypt.gensalt(rounds))\n"
    "    return bcrypt.checkpw(text.encode(), kept)\n"
)
EXAMPLES = (
    MockExample(
        _B,
        "keep('p', 4)",
        ("hash.weak",),
        state={"bcrypt.hash_called": True, "bcrypt.check_called": True},
        result=True,
    ),
    MockExample(_B, "keep('p', 10)", ("hash.strong",), ("hash.weak",), result=True),
)
