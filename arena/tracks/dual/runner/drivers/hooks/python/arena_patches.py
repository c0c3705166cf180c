"""What is wrapped in which module, once the program imports it."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import Any

WEAK_HASHES = {"md5", "sha1", "md4", "md2", "md5-sha1", "sha-1"}
UNSAFE_LOADERS = {"Loader", "UnsafeLoader", "CLoader", "CUnsafeLoader"}
RANDOM = (
    "random randint randrange choice choices shuffle sample uniform getrandbits randbytes gauss"
    " normalvariate triangular betavariate expovariate vonmisesvariate"
)
_SEED = os.environ.get("ARENA_SEED", "")

_record: Callable[[str, str, str], None]
_direct: Callable[[Any], str]


def wrap(owner: Any, name: str, kind: str, what: Callable[[Any, Any], str]) -> None:
    """Replaces a function of a module or class; what(args, kwargs) is told, unless it is ""."""
    function = vars(owner).get(name)
    if function is None:
        return

    def record_call(*args: Any, **kwargs: Any) -> Any:
        where = _direct(sys._getframe(1))
        if where and (detail := what(args, kwargs)):
            _record(kind, detail, where)
        return function(*args, **kwargs)

    for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(record_call, attribute, getattr(function, attribute, None))
    record_call.__wrapped__ = function  # type: ignore[attr-defined]
    setattr(owner, name, record_call)


def record_construction(kind: type | None, group: str, what: str) -> None:
    """Notes when an object of a class is made by the candidate."""
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
        os.register_at_fork(after_in_child=lambda: module.seed(int(_SEED)))


def _random_objects(module: Any) -> None:
    """Generators of the candidate's own are noted; one without a seed, or with the time's, gets ours."""
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
    return any(abs(seed / unit - now) < 60 for unit in (1, 1_000, 1_000_000, 1_000_000_000))


def _hash_name(name: Any) -> str:
    text = str(name).lower()
    return text if text in WEAK_HASHES else ""


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
    wrap(
        module,
        "file_digest",
        "weak-hash",
        lambda args, kw: _hash_name(
            getattr(args[1], "__name__", args[1]) if len(args) > 1 else kw.get("digest")
        ),
    )


def _hmac(module: ModuleType) -> None:
    """HMAC with SHA-1 still holds (RFC 6194, section 3.3); with MD5 no new program should begin."""

    def digest(args: Any, kwargs: Any) -> str:
        algorithm = args[2] if len(args) > 2 else kwargs.get("digestmod", kwargs.get("digest"))
        name = str(getattr(algorithm, "__name__", algorithm)).lower()
        return "hmac md5" if name in ("md5", "openssl_md5") else ""

    for name in ("new", "digest"):
        wrap(module, name, "weak-hash", digest)


def _uuid(module: ModuleType) -> None:
    wrap(module, "uuid1", "weak-random", _constant("uuid.uuid1"))


def _always(group: str, what: str, *names: str) -> Callable[[ModuleType], None]:
    def patch(module: ModuleType) -> None:
        for name in names:
            wrap(module, name, group, _constant(what))

    return patch


def _classes(group: str, *names: str) -> Callable[[ModuleType], None]:
    def patch(module: ModuleType) -> None:
        for name in names:
            record_construction(vars(module).get(name), group, f"cryptography {name}")

    return patch


def _aes(module: ModuleType) -> None:
    def ecb(args: Any, kwargs: Any) -> str:
        mode = args[1] if len(args) > 1 else kwargs.get("mode")
        return "AES ECB" if mode == getattr(module, "MODE_ECB", 1) else ""

    wrap(module, "new", "weak-cipher", ecb)


def _yaml(module: ModuleType) -> None:
    def unsafe(args: Any, kwargs: Any) -> str:
        loader = args[1] if len(args) > 1 else kwargs.get("Loader")
        names = {kind.__name__ for kind in getattr(loader, "__mro__", ())}
        return f"yaml {getattr(loader, '__name__', '')}" if names & UNSAFE_LOADERS else ""

    for name in ("load", "load_all"):
        wrap(module, name, "unsafe-load", unsafe)
    for name in ("unsafe_load", "unsafe_load_all"):
        wrap(module, name, "unsafe-load", _constant("yaml UnsafeLoader"))


_CRYPTO_HASHES = ("MD2", "MD4", "MD5", "SHA1", "SHA")
_CRYPTO_CIPHERS = ("DES", "DES3", "ARC4", "ARC2", "Blowfish", "CAST")
_CRYPTOGRAPHY = "cryptography.hazmat.primitives"
_WEAK_ALGORITHMS = _classes(
    "weak-cipher", "TripleDES", "ARC4", "Blowfish", "IDEA", "SEED", "CAST5", "RC2"
)
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
    "Crypto.Cipher.AES": _aes,
    **{
        f"Crypto.Hash.{n}": _always("weak-hash", n.lower(), "new")
        for n in ("MD2", "MD4", "MD5", "SHA1", "SHA")
    },
    **{f"Crypto.Cipher.{n}": _always("weak-cipher", n, "new") for n in _CRYPTO_CIPHERS},
    f"{_CRYPTOGRAPHY}.hashes": _classes("weak-hash", "MD5", "SHA1"),
    f"{_CRYPTOGRAPHY}.ciphers.modes": _classes("weak-cipher", "ECB"),
    f"{_CRYPTOGRAPHY}.ciphers.algorithms": _WEAK_ALGORITHMS,
    "cryptography.hazmat.decrepit.ciphers.algorithms": _WEAK_ALGORITHMS,
}


class _Loader:
    """A loader that patches the module when its own work is done."""

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
