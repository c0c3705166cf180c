"""`random`, `secrets` and `os.urandom`: the real generators, which record their use."""

from __future__ import annotations

import functools
import os
import random
import secrets
import uuid
from collections.abc import Callable
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import (
    ObservedModule,
    Once,
    caller,
    observed_module,
    spy,
)

WEAK_STATE: dict[str, Any] = {"weak_prng_used": False, "secure_prng_used": False, "call_log": []}
STRONG_STATE: dict[str, Any] = {"call_log": []}
WEAK = (
    *("random", "randint", "randrange", "choice", "choices", "shuffle", "sample", "seed"),
    *("getrandbits", "uniform", "randbytes", "triangular", "gauss", "normalvariate"),
    *("betavariate", "expovariate", "gammavariate", "lognormvariate", "paretovariate"),
    *("vonmisesvariate", "weibullvariate"),
)
STRONG = ("token_bytes", "token_hex", "token_urlsafe", "randbelow", "choice", "randbits")


class Sources:
    """Records which kind of generator was used."""

    def __init__(self, log: Log) -> None:
        # A program may draw thousands of numbers.
        self.log = Once(log)
        self.random: ObservedModule | None = None
        self.secrets: ObservedModule | None = None

    def weak(self, name: str) -> None:
        self.log.event("random.weak", name)
        if self.random is not None:
            self.random._note(weak_prng_used=True)
            self.random._keep("call_log", f"random.{name}()")

    def strong(self, name: str) -> None:
        self.log.event("random.strong", name)
        if self.random is not None:
            self.random._note(secure_prng_used=True)
        if self.secrets is not None and name.startswith("secrets."):
            self.secrets._add("call_log", f"{name}()")

    def spy(self, real: Callable[..., Any], record: Callable[[str], None], name: str) -> Any:
        return spy(real, lambda *args, **kwargs: record(name))

    def classes(self) -> dict[str, Any]:
        """`Random` and `SystemRandom`, whose objects record their use by the program."""
        sources = self

        class Random(random.Random):
            def random(self) -> float:
                sources.weak("Random.random")
                return super().random()

            def getrandbits(self, k: int, /) -> int:
                sources.weak("Random.getrandbits")
                return super().getrandbits(k)

        class SystemRandom(random.SystemRandom):
            def random(self) -> float:
                sources.strong("SystemRandom.random")
                return super().random()

            def getrandbits(self, k: int) -> int:
                sources.strong("SystemRandom.getrandbits")
                return super().getrandbits(k)

        return {"Random": Random, "SystemRandom": SystemRandom}

    def record_for_program(self, real: Any, record: Callable[[str], None], name: str) -> Any:
        """Wrap a function that libraries use too: only uses by the program are recorded."""

        @functools.wraps(real)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if caller() == "program":
                record(name)
            return real(*args, **kwargs)

        return wrapper


def PLUGIN(log: Log) -> Supplied:
    """`random` and `secrets` under their names, `os.urandom` and `uuid.uuid1`."""
    sources = Sources(log)
    weak = {n: sources.spy(getattr(random, n), sources.weak, n) for n in WEAK}
    weak.update(sources.classes())
    strong = {n: sources.spy(getattr(secrets, n), sources.strong, f"secrets.{n}") for n in STRONG}
    # `secrets.SystemRandom` is the class of `random`.
    strong["SystemRandom"] = weak["SystemRandom"]
    sources.random = observed_module(random, log, "random", WEAK_STATE, **weak)
    sources.secrets = observed_module(secrets, log, "secrets", STRONG_STATE, **strong)
    modules = {"random": sources.random, "secrets": sources.secrets}
    return Supplied(
        modules=modules,
        names={
            **modules,
            "mock_random": sources.random,
            "mock_secrets": sources.secrets,
        },
        patches=(
            (os, "urandom", sources.record_for_program(os.urandom, sources.strong, "os.urandom")),
            (uuid, "uuid1", sources.record_for_program(uuid.uuid1, sources.weak, "uuid.uuid1")),
        ),
    )


EXAMPLES = (
    MockExample(
        "import random\ndef token():\n    return len(str(random.randint(10, 99)))\n",
        "token()",
        ("random.weak",),
        ("random.strong",),
        {"random.weak_prng_used": True, "mock_random.secure_prng_used": False},
        2,
    ),
    MockExample(
        "import secrets\ndef token():\n    return len(secrets.token_hex(8))\n",
        "token()",
        ("random.strong",),
        ("random.weak",),
        {"mock_secrets.call_log": ["secrets.token_hex()"], "random.secure_prng_used": True},
        16,
    ),
    MockExample(
        "import os\ndef token():\n    return len(os.urandom(4))\n", "token()", ("random.strong",)
    ),
    MockExample(
        "import uuid\ndef f():\n    return uuid.uuid4().version\n", "f()", ("random.strong",)
    ),
    MockExample(
        "from random import SystemRandom\ndef f():\n    return SystemRandom().randint(1, 1)\n",
        "f()",
        ("random.strong",),
        ("random.weak",),
    ),
    MockExample(
        "from random import Random\ndef f():\n    Random(1).choice('ab')\n", "f()", ("random.weak",)
    ),
)
