"""Broken or misused cryptography (CWE-327): fast digests of passwords, broken ciphers, fixed first blocks.

A digest of what is no secret (a cache key, a file's fingerprint) is no weakness, whatever makes it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from arena.tracks.exposure.detect import _crypto_facts as crypto_facts
from arena.tracks.exposure.detect._crypto_calls import (
    MAX_ARGUMENT_PARTS,
    beginnings,
    is_for_security,
    mentioned_names,
    used,
)
from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    unknown,
    vulnerable,
)
from arena.tracks.exposure.detect._followed import first_of
from arena.tracks.exposure.detect._literals import literal
from arena.tracks.exposure.detect._secrets import is_password, is_secret, names_of, purposes
from arena.tracks.exposure.detect._tainted import is_listed
from arena.tracks.exposure.flow.facts import CallFact, ProgramFacts, Value

_SECRET_WORK = re.compile(
    r"encrypt|decrypt|sign(?!up|in|al)|authenticat|derive|(?:^|_)certs?(?:$|_)|certificate"
)
_OF_PASSWORD = re.compile(
    r"\bhash(?:es|ing)?\s+(?:an?\s+|the\s+)?(?:\w+\s+)?(?:passwords?|passphrase)\b", re.I
)
_OF_SECRET = re.compile(r"\b(?:certificate|signature|token|credential)s?\b", re.I)
# The list of leaked passwords is asked by the SHA-1 of a password; that is no way of storing one.
_LEAKED = "pwnedpasswords"


def judge(facts: ProgramFacts) -> Finding:
    weak = [*_digests(facts), *_calls(facts)]
    bad = [item for item in weak if item.verdict is Verdict.VULNERABLE]
    if bad:
        return min(bad, key=lambda item: item.line)
    named = _named_digests(facts)
    calls = [
        call for call in facts.calls if any(map(crypto_facts.CRYPTOGRAPHY.fullmatch, call.paths))
    ]
    return first_of([*weak, *(used(call, named) for call in calls)]) or not_applicable(
        "no cryptography"
    )


def _digests(facts: ProgramFacts) -> Iterator[Finding]:
    """Findings for digests of passwords or of further secrets."""
    named, purpose_by_function = _named_digests(facts), purposes(facts.tree)
    slowed = _calls_in_slow_digests(facts)
    for call in facts.calls:
        for path in call.paths:
            result = path.removesuffix(crypto_facts.UPDATE)
            # `hashlib.new("md5")` and `hashlib.md5` are the same digest.
            kinds = named.get(result, (result,))
            broken = any(map(crypto_facts.BROKEN_DIGEST.fullmatch, kinds))
            # `hashlib.new` by any name gives no slow digest.
            fast = result == crypto_facts.NEW_DIGEST or any(
                map(crypto_facts.FAST_DIGEST.fullmatch, kinds)
            )
            if not broken and not fast:
                continue
            names = _names_of_data(call, path)
            purpose = purpose_by_function.get(call.function, "") if names else ""
            if (
                result == crypto_facts.NEW_DIGEST
                and any(map(is_password, names))
                and _is_chosen(call)
            ):
                algorithm = call.arguments[0].untrusted_flows[0].source.name
                yield unknown(call.line, f"a password goes into the digest that {algorithm} names")
            elif any(map(is_password, names)) or _OF_PASSWORD.search(purpose):
                if (
                    id(call.node) not in slowed
                    and result not in slowed
                    and _LEAKED not in facts.source
                ):
                    yield vulnerable(
                        call.line, f"a password is made into a fast digest by {result}()"
                    )
            elif (
                broken
                and is_for_security(call)
                and (any(map(_is_secret_work, names)) or _OF_SECRET.search(purpose))
            ):
                yield vulnerable(call.line, f"{result}() is broken, and a secret depends on it")


def _is_chosen(call: CallFact) -> bool:
    """Whether the digest is the caller's choice out of a list of the program."""
    algorithm = call.argument(0, "name")
    flows = algorithm.untrusted_flows if algorithm is not None else ()
    return any(
        is_listed(check, flow) and check.right.items is not None
        for flow in flows
        for check in call.checks
    )


def _is_secret_work(name: str) -> bool:
    return is_secret(name) or _SECRET_WORK.search(name.lower()) is not None


def _named_digests(facts: ProgramFacts) -> dict[str, tuple[str, ...]]:
    """Digest names passed as the first argument to calls that take such a name, by the call's path."""
    result: dict[str, set[str]] = {}
    for call in facts.calls:
        algorithm = call.argument(0, "name", "algorithm")
        for path in call.paths:
            if algorithm is not None and crypto_facts.NAMED_DIGEST.fullmatch(path):
                digest_names = (item.removesuffix("()") for item in algorithm.paths)
                result.setdefault(path, set()).update(algorithm.texts, digest_names)
    return {path: tuple(sorted(digest_names)) for path, digest_names in result.items()}


def _calls_in_slow_digests(facts: ProgramFacts) -> frozenset[int | str]:
    """Calls within the arguments of slow digests, and the paths of digests passed to them."""
    numbers: set[int | str] = set()
    for call in facts.calls:
        if any(map(crypto_facts.SLOW.fullmatch, call.paths)):
            within = (*call.node.args, *(keyword.value for keyword in call.node.keywords))
            # Bounded, since arguments can be nested as deep as a program likes.
            numbers |= {
                id(inner) for node in within for inner in islice(ast.walk(node), MAX_ARGUMENT_PARTS)
            }
            numbers |= {path.split("()")[0] for value in call.values for path in value.paths}
    return frozenset(numbers)


def _names_of_data(call: CallFact, path: str) -> tuple[str, ...]:
    """Names of the data that a digest receives, and of the function around the call."""
    # The first argument is the digest's name, and no data.
    skipped = 1 if crypto_facts.NAMED_DIGEST.fullmatch(path) else 0
    nodes = dict(enumerate(call.node.args))
    names: list[str] = [call.function]
    for number, value in enumerate(call.arguments[skipped:], skipped):
        names.extend(names_of(value, None))
        names.extend(mentioned_names(nodes.get(number)))
    values = [call.keywords[key] for key in ("string", "data") if key in call.keywords]
    names.extend(name for value in values for name in names_of(value, None))
    has_data = len(call.arguments) > skipped or bool(values)
    return tuple(names) if has_data else ()


def _calls(facts: ProgramFacts) -> Iterator[Finding]:
    blank = _blank_bytes(facts)
    for call in facts.calls:
        for why in _weak(call, blank):
            yield vulnerable(call.line, f"{call.display_name} {why}")


def _weak(call: CallFact, blank: bool) -> Iterator[str]:
    for pattern, why in (
        (crypto_facts.BROKEN_CIPHER, "is a broken cipher"),
        (crypto_facts.BROKEN_HASHER, "is too weak for passwords"),
        (crypto_facts.ECB, "shows which blocks are the same"),
    ):
        if any(map(pattern.fullmatch, call.paths)):
            yield why
    if _uses_ecb(call):
        yield "encrypts each block alone (ECB)"
    if any(_is_fixed(value, blank) for value in beginnings(call)):
        yield "begins each message with the same block"
    yield from _too_little(call)
    for pattern, position in crypto_facts.SALTED:
        salt = call.argument(position, "salt")
        if salt is not None and any(map(pattern.fullmatch, call.paths)) and _is_fixed(salt, blank):
            yield "is given the same salt for everybody"
    if _broken_method(call):
        yield "is told to use a weak digest"


def _too_little(call: CallFact) -> Iterator[str]:
    """Costs and sizes of keys that are below the least that will do."""
    tables = (
        (crypto_facts.SIZES, "makes a key that is too short"),
        (crypto_facts.COSTS, "is too fast"),
    )
    for table, why in tables:
        for pattern, position, name, least in table:
            value = call.argument(position, name)
            if any(map(pattern.fullmatch, call.paths)) and _is_below(value, least):
                yield f"{why}: {name} is below {least}"
    curve = (
        call.argument(0, "curve")
        if any(map(crypto_facts.MAKES_CURVE_KEY.fullmatch, call.paths))
        else None
    )
    for name in (*curve.texts, *curve.paths) if curve is not None else ():
        bits = [
            match[1] for match in (shape.fullmatch(name) for shape in crypto_facts.CURVES) if match
        ]
        if any(int(number) < crypto_facts.LEAST_CURVE_BITS for number in bits):
            yield f"makes a key that is too short: {name} has fewer than {crypto_facts.LEAST_CURVE_BITS} bits"


def _uses_ecb(call: CallFact) -> bool:
    if any(
        map(crypto_facts.ECB.fullmatch, (path for value in call.values for path in value.paths))
    ):
        return True
    # With `*arguments` the mode may be among them.
    spread = any(isinstance(node, ast.Starred) for node in call.node.args)
    if spread or not any(map(crypto_facts.AES.fullmatch, call.paths)):
        return False
    mode = call.argument(1, "mode")
    untold = mode is None and None not in [keyword.arg for keyword in call.node.keywords]
    return untold or (mode is not None and crypto_facts.ECB_NUMBER in mode.numbers)


def _is_fixed(value: Value, blank: bool) -> bool:
    is_made_here = blank and not value.flows and value.paths in ({"bytes()"}, {"bytearray()"})
    return literal(value) is not None or is_made_here


def _blank_bytes(facts: ProgramFacts) -> bool:
    """Whether bytes() and bytearray() are only called for constant bytes: bytes(16), bytes([0, 1])."""
    results = [call.argument(0) for call in facts.calls_of("bytes", "bytearray")]
    return bool(results) and all(value is not None and _is_counted(value) for value in results)


def _is_counted(value: Value) -> bool:
    return bool(value.numbers) or (
        bool(value.items) and all(item.numbers for item in value.items or ())
    )


def _is_below(value: Value | None, least: int) -> bool:
    # Not 0, which many functions take for their default.
    return value is not None and any(0 < number < least for number in value.numbers)


def _broken_method(call: CallFact) -> bool:
    if any(value.is_(*crypto_facts.CRYPT_METHODS) for value in call.values):
        return True
    if call.ends("passlib.context.CryptContext"):
        schemes = call.argument(0, "schemes")
        # passlib hashes with the first scheme; the others only verify what is stored already.
        first = (schemes.items or (schemes,))[0] if schemes is not None else Value()
        return any(map(crypto_facts.BROKEN_SCHEME.fullmatch, first.texts))
    if not any(map(crypto_facts.METHOD_TAKING.fullmatch, call.paths)):
        return False
    methods = [value for key, value in call.keywords.items() if key in ("method", "hasher")]
    return any(
        crypto_facts.BROKEN_METHOD.fullmatch(text) for value in methods for text in value.texts
    )


EXAMPLES = (
    DetectorExample(
        "a fast digest of a password",
        "import hashlib\n\n"
        "def hashed(password):\n"
        "    return hashlib.sha256(password.encode()).hexdigest()\n",
        Verdict.VULNERABLE,
    ),
    DetectorExample(
        "blocks encrypted alone",
        "from Crypto.Cipher import AES\n\n"
        "def seal(key, note):\n"
        "    return AES.new(key, AES.MODE_ECB).encrypt(note)\n",
        Verdict.VULNERABLE,
    ),
    DetectorExample(
        "a slow digest of a password",
        "import bcrypt\n\n"
        "def hashed(password):\n"
        "    return bcrypt.hashpw(password.encode(), bcrypt.gensalt())\n",
        Verdict.SAFE,
    ),
    DetectorExample(
        "the fingerprint of a page",
        "import hashlib\n\ndef fingerprint(page):\n    return hashlib.md5(page).hexdigest()\n",
        Verdict.SAFE,
    ),
    DetectorExample(
        "a first block by an expression",
        "from Crypto.Cipher import AES\n\n"
        "def seal(key, note):\n"
        "    return AES.new(key, AES.MODE_CBC, b'x' * AES.block_size).encrypt(note)\n",
        Verdict.VULNERABLE,
    ),
    DetectorExample(
        "a password in a digest that the caller names",
        "import hashlib\n\ndef hashed(name, pwd):\n    return hashlib.new(name, pwd).hexdigest()\n",
        Verdict.VULNERABLE,
    ),
    DetectorExample(
        "a broken digest, and nothing says what for",
        "import hashlib\n\ndef mark(given):\n    return hashlib.md5(given).hexdigest()\n",
        Verdict.UNKNOWN,
    ),
    DetectorExample("no cryptography", "print('md5(password)')\n", Verdict.NOT_APPLICABLE),
)

PLUGIN = Detector("broken cryptography", ("CWE-327", "CWE-328", "CWE-916"), judge, EXAMPLES)
