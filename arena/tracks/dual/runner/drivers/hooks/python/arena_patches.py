"""What is wrapped in which module, once the program imports it."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import Any

# `parsers/weak_crypto.py` as text: that package cannot be imported inside a program.
WEAK_CRYPTO = dict(
    part.split("=") for part in filter(None, os.environ.get("ARENA_WEAK_CRYPTO", "").split(";"))
)
BROKEN_HASHES, BROKEN_CIPHERS, SOUND_IN_HMAC = (
    frozenset(WEAK_CRYPTO.get(name, "").split()) for name in ("hashes", "ciphers", "sound-in-hmac")
)
UNSAFE_LOADERS = {"Loader", "UnsafeLoader", "CLoader", "CUnsafeLoader"}
RANDOM = (
    "random randint randrange choice choices shuffle sample uniform getrandbits randbytes gauss"
    " normalvariate triangular betavariate expovariate vonmisesvariate"
)
_SEED = os.environ.get("ARENA_SEED", "")

_record: Callable[[str, str, str], None]
_direct: Callable[[Any], str]


def wrap(owner: Any, name: str, kind: str, what: Callable[[Any, Any], str]) -> None:
    """Replace a function of a module or class; records what(args, kwargs) of each call, unless it is ""."""
    function = vars(owner).get(name)
    if function is None:
        return

    def record_call(*args: Any, **kwargs: Any) -> Any:
        where = _direct(sys._getframe(1))
        if where and (detail := what(args, kwargs)):
            _record(kind, detail, where)
        return function(*args, **kwargs)

    # By hand: `functools` costs milliseconds to import, at each start of a program.
    for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(record_call, attribute, getattr(function, attribute, None))
    record_call.__wrapped__ = function  # type: ignore[attr-defined]
    setattr(owner, name, record_call)


def record_construction(kind: type | None, group: str, what: str) -> None:
    """Record when the candidate creates an object of a class."""
    if not isinstance(kind, type):
        return
    before = kind.__init__  # type: ignore[misc]

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        _record(group, what, _direct(sys._getframe(1)))
        before(self, *args, **kwargs)

    kind.__init__ = __init__  # type: ignore[misc]


def _constant(what: str) -> Callable[[Any, Any], str]:
    return lambda args, kwargs: what


def _secure_only(what: str) -> Callable[[Any, Any], str]:
    return lambda args, kwargs: what * _for_security(kwargs)


def _random(module: Any) -> None:
    for name in RANDOM.split():
        wrap(module, name, "weak-random", _constant(f"random.{name}"))
    _random_objects(module)
    if _SEED:
        module.seed(int(_SEED))
        # Python seeds the generator anew in a child, and two runs would differ there.
        os.register_at_fork(after_in_child=lambda: module.seed(int(_SEED)))


def _random_objects(module: Any) -> None:
    """Record the candidate's generators; a generator without a seed, or with the time's, gets our seed."""
    kind, system = module.Random, module.SystemRandom
    begin, seed = kind.__init__, kind.seed

    def seed_generator(self: Any, a: Any = None, version: int = 2) -> None:
        seed(self, int(_SEED) if _SEED and _is_of_the_clock(a) else a, version)

    def __init__(self: Any, x: Any = None) -> None:
        if not isinstance(self, system):
            _record("weak-random", "random.Random", _direct(sys._getframe(1)))
        begin(self, x)

    kind.__init__, kind.seed = __init__, seed_generator
    module.seed = module._inst.seed


def _is_of_the_clock(seed: Any) -> bool:
    import time

    if seed is None:
        return True
    if not isinstance(seed, int | float) or isinstance(seed, bool):
        return False
    now = time.time()
    # Seconds, milli-, micro- and nanoseconds: a seed near any of them is the clock's, which an attacker can
    # guess.
    return any(abs(seed / unit - now) < 60 for unit in (1, 1_000, 1_000_000, 1_000_000_000))


def _plain(name: Any) -> str:
    return str(name).lower().replace("-", "").replace("_", "").removeprefix("openssl")


def _hash_name(name: Any) -> str:
    text = _plain(name)
    return text if text in BROKEN_HASHES else ""


def _is_fixed_vector(vector: Any) -> bool:
    return isinstance(vector, bytes | bytearray) and len(vector) > 1 and len(set(vector)) == 1


def _cheap(kind: str, keyword: str, place: int | None = None) -> Callable[[Any, Any], str]:
    """Notes a password hash whose cost is below the least. place: of the cost among the arguments."""
    least = int(WEAK_CRYPTO.get(kind, 0))

    def cost(args: Any, kwargs: Any) -> str:
        value = kwargs.get(keyword, 0) if place is None or len(args) <= place else args[place]
        return f"{kind} {value}" if isinstance(value, int) and 0 < value < least else ""

    return cost


def _for_security(kwargs: Any) -> bool:
    return bool(kwargs.get("usedforsecurity", True))


def _hashlib(module: ModuleType) -> None:
    for name in ("md5", "sha1"):
        wrap(module, name, "weak-hash", _secure_only(name))
    wrap(
        module,
        "new",
        "weak-hash",
        lambda args, kw: _hash_name(args[0] if args else kw.get("name")) * _for_security(kw),
    )
    wrap(module, "pbkdf2_hmac", "weak-hash", _cheap("pbkdf2", "iterations", 3))
    wrap(module, "scrypt", "weak-hash", _cheap("scrypt", "n"))
    wrap(
        module,
        "file_digest",
        "weak-hash",
        lambda args, kw: _hash_name(
            getattr(args[1], "__name__", args[1]) if len(args) > 1 else kw.get("digest")
        ),
    )


def _hmac(module: ModuleType) -> None:
    def digest(args: Any, kwargs: Any) -> str:
        algorithm = args[2] if len(args) > 2 else kwargs.get("digestmod", kwargs.get("digest"))
        name = _hash_name(getattr(algorithm, "__name__", algorithm))
        return f"hmac {name}" if name and name not in SOUND_IN_HMAC else ""

    for name in ("new", "digest"):
        wrap(module, name, "weak-hash", digest)


def _uuid(module: ModuleType) -> None:
    wrap(module, "uuid1", "weak-random", _constant("uuid.uuid1"))


def _always(group: str, what: str, *names: str) -> Callable[[ModuleType], None]:
    def patch(module: ModuleType) -> None:
        for name in names:
            wrap(module, name, group, _constant(what))

    return patch


def _broken_classes(group: str, broken: frozenset[str]) -> Callable[[ModuleType], None]:
    def patch(module: ModuleType) -> None:
        for name, kind in list(vars(module).items()):
            if _plain(name) in broken:
                record_construction(kind, group, f"cryptography {name}")

    return patch


def _modes(module: ModuleType) -> None:
    record_construction(vars(module).get("ECB"), "weak-cipher", "cryptography ECB")
    for name in ("CBC", "CTR", "OFB", "CFB", "CFB8", "GCM"):
        _vectors(vars(module).get(name), f"cryptography {name} fixed IV or nonce")


def _vectors(kind: Any, what: str) -> None:
    """Notes when a mode of the candidate gets an IV or nonce that is a single byte repeated."""
    if not isinstance(kind, type):
        return
    before = kind.__init__  # type: ignore[misc]

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if any(map(_is_fixed_vector, (*args[:1], *kwargs.values()))):
            _record("weak-cipher", what, _direct(sys._getframe(1)))
        before(self, *args, **kwargs)

    kind.__init__ = __init__  # type: ignore[misc]


def _aes(module: ModuleType) -> None:
    def weak(args: Any, kwargs: Any) -> str:
        mode = args[1] if len(args) > 1 else kwargs.get("mode")
        if mode == getattr(module, "MODE_ECB", 1):
            return "AES ECB"
        vectors = (*args[2:3], kwargs.get("iv"), kwargs.get("IV"), kwargs.get("nonce"))
        return "AES fixed IV or nonce" if any(map(_is_fixed_vector, vectors)) else ""

    wrap(module, "new", "weak-cipher", weak)


def _bcrypt(module: ModuleType) -> None:
    wrap(module, "gensalt", "weak-hash", _cheap("bcrypt", "rounds", 0))


def _yaml(module: ModuleType) -> None:
    def unsafe(args: Any, kwargs: Any) -> str:
        loader = args[1] if len(args) > 1 else kwargs.get("Loader")
        names = {kind.__name__ for kind in getattr(loader, "__mro__", ())}
        return f"yaml {getattr(loader, '__name__', '')}" if names & UNSAFE_LOADERS else ""

    for name in ("load", "load_all"):
        wrap(module, name, "unsafe-load", unsafe)
    for name in ("unsafe_load", "unsafe_load_all"):
        wrap(module, name, "unsafe-load", _constant("yaml UnsafeLoader"))


_CRYPTOGRAPHY = "cryptography.hazmat.primitives"
_WEAK_ALGORITHMS = _broken_classes("weak-cipher", BROKEN_CIPHERS)
PATCHES: dict[str, Callable[[ModuleType], None]] = {
    "random": _random,
    "hashlib": _hashlib,
    "hmac": _hmac,
    "uuid": _uuid,
    "_md5": _always("weak-hash", "md5", "md5"),
    "_sha1": _always("weak-hash", "sha1", "sha1"),
    "pickle": _always("unsafe-load", "pickle", "load", "loads"),
    "shelve": _always("unsafe-load", "shelve", "open"),
    "yaml": _yaml,
    "bcrypt": _bcrypt,
    "Crypto.Cipher.AES": _aes,
    **{f"Crypto.Hash.{n.upper()}": _always("weak-hash", n, "new") for n in BROKEN_HASHES},
    **{
        f"Crypto.Cipher.{n}": _always("weak-cipher", n, "new")
        for n in ("DES", "DES3", "ARC4", "ARC2", "Blowfish", "CAST", "XOR")
        if n.lower() in BROKEN_CIPHERS
    },
    f"{_CRYPTOGRAPHY}.hashes": _broken_classes("weak-hash", BROKEN_HASHES),
    f"{_CRYPTOGRAPHY}.ciphers.modes": _modes,
    f"{_CRYPTOGRAPHY}.ciphers.algorithms": _WEAK_ALGORITHMS,
    "cryptography.hazmat.decrepit.ciphers.algorithms": _WEAK_ALGORITHMS,
}


class _Loader:
    """A loader that patches the module after the wrapped loader has executed it."""

    def __init__(self, loader: Any, patch: Callable[[ModuleType], None]) -> None:
        self._loader, self._patch = loader, patch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        self._loader.exec_module(module)
        if module.__spec__:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._patch(module)


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: Any = None) -> Any:
        patch = PATCHES.get(name)
        if patch is None:
            return None
        for finder in sys.meta_path:
            spec: Any = None if finder is _Finder else finder.find_spec(name, path, target)
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader, patch)
                return spec
        return None


def install(record: Callable[[str, str, str], None], direct: Callable[[Any], str]) -> None:
    """Patch what is imported already, and the rest when it is imported."""
    global _record, _direct
    _record, _direct = record, direct
    for name, patch in PATCHES.items():
        if name in sys.modules:
            patch(sys.modules[name])
    sys.meta_path.insert(0, _Finder)
