"""`jwt`, PyJWT itself, which says how a token was decoded."""

from __future__ import annotations

import functools
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import ObservedModule, caller, observed_module
from arena.tracks.mutation.runner.mocks.mysql import record_credential

STATE: dict[str, Any] = {
    "decode_called": False,
    "last_token": None,
    "last_key": None,
    "last_algorithms": None,
    "verify_signature": True,
}


def reason(algorithms: Any, options: Any) -> str:
    """Why a token's signature is not verified, "" where it is."""
    if isinstance(options, dict) and options.get("verify_signature") is False:
        return "verify_signature=False"
    named = algorithms if isinstance(algorithms, list | tuple | set | frozenset) else ()
    return "algorithm none" if any(str(name).lower() == "none" for name in named) else ""


def decoding(real: Any, log: Log, module: ObservedModule) -> Any:
    """`PyJWT.decode_complete`, to which all calls for decoding lead."""

    @functools.wraps(real)
    def decode_complete(
        self: Any, jwt: Any, key: Any = "", algorithms: Any = None, options: Any = None, **more: Any
    ) -> Any:
        why = reason(algorithms, options)
        if caller() or why:
            module._note(decode_called=True, last_token=jwt, last_key=key)
            module._note(last_algorithms=algorithms, verify_signature=not why)
        if why:
            log.event("jwt.unverified", why)
        return real(self, jwt, key, algorithms, options, **more)

    return decode_complete


def PLUGIN(log: Log) -> Supplied:
    """`jwt`."""
    import jwt

    objects = jwt.api_jwt.PyJWT
    module = observed_module(jwt, log, "jwt", STATE)
    complete = decoding(objects.decode_complete, log, module)
    encode, decode = jwt.encode, jwt.decode

    @functools.wraps(encode)
    def encoding(payload: Any, key: Any, *args: Any, **kwargs: Any) -> Any:
        record_credential(log, "key", key if isinstance(key, str | bytes) else "")
        return encode(payload, key, *args, **kwargs)

    @functools.wraps(decode)
    def record_decode(jwt: Any, key: Any = "", *args: Any, **kwargs: Any) -> Any:
        module._note(decode_called=True, last_token=jwt, last_key=key)
        record_credential(log, "key", key if isinstance(key, str | bytes) else "")
        return decode(jwt, key, *args, **kwargs)

    vars(module).update(encode=encoding, decode=record_decode)
    return Supplied(
        modules={"jwt": module},
        names={"jwt": module},
        patches=((objects, "decode_complete", complete),),
    )


_J = (
    "import jwt\nKEY = 'k' * 32\ndef there_and_back(**options):\n"
    "    token = jwt.encode({'u': 1}, KEY, algorithm='HS256')\n"
    "    return jwt.decode(token, KEY, algorithms=['HS256'], options=options)\n"
)
EXAMPLES = (
    MockExample(
        _J,
        "there_and_back()",
        ("credential.used",),
        ("jwt.unverified",),
        {"jwt.decode_called": True, "jwt.verify_signature": True, "jwt.last_key": "k" * 32},
        {"u": 1},
    ),
    MockExample(
        _J,
        "there_and_back(verify_signature=False)",
        ("jwt.unverified",),
        state={"jwt.verify_signature": False},
        result={"u": 1},
    ),
    MockExample(
        "import jwt\ndef read(t):\n    return jwt.decode(t, 'k', algorithms=['HS256'])\n",
        "read('nonsense')",
        raises="DecodeError",
    ),
)
