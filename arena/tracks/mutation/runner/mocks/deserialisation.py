"""`pickle`, `yaml` and `marshal`: the libraries themselves, which say what was loaded and how."""

from __future__ import annotations

import functools
import marshal
import pickle
import shelve
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import ObservedModule, caller, observed_module

PICKLE_STATE: dict[str, Any] = {
    "unsafe_load_called": False,
    "load_count": 0,
    "last_data": None,
    "operations": [],
}
YAML_STATE: dict[str, Any] = {**PICKLE_STATE, "safe_loader_used": False}
MARSHAL_STATE: dict[str, Any] = {"unsafe_load_called": False}
SAFE_LOADERS = ("SafeLoader", "CSafeLoader", "BaseLoader", "CBaseLoader")


def _note_load(module: ObservedModule, operation: str, data: Any) -> None:
    module._note(last_data=data)
    module._note(load_count=module._read_internally("load_count") + 1)
    module._keep("operations", operation)


def pickle_module(log: Log) -> ObservedModule:
    """`pickle`, whose `Unpickler` records whether it is restricted (a subclass with its `find_class`)."""

    class Unpickler(pickle.Unpickler):
        def load(self) -> Any:
            bounded = type(self).find_class is not Unpickler.find_class
            log.event("deserial.safe" if bounded else "deserial.unsafe", "pickle.Unpickler")
            return super().load()

    @functools.wraps(pickle.loads)
    def loads(data: Any, /, **options: Any) -> Any:
        module._note(unsafe_load_called=True)
        _note_load(module, "loads", data)
        log.event("deserial.unsafe", "pickle.loads")
        return pickle.loads(data, **options)  # noqa: S301 - what is asked

    @functools.wraps(pickle.load)
    def load(file: Any, **options: Any) -> Any:
        module._note(unsafe_load_called=True)
        _note_load(module, "load", None)
        log.event("deserial.unsafe", "pickle.load")
        return pickle.load(file, **options)  # noqa: S301 - what is asked

    module = observed_module(
        pickle, log, "pickle", PICKLE_STATE, loads=loads, load=load, Unpickler=Unpickler
    )
    return module


def yaml_module(log: Log) -> ObservedModule:
    """`yaml`; `load` records an event by its loader."""
    import yaml

    def note(operation: str, stream: Any, loader: str) -> None:
        safe = loader in SAFE_LOADERS
        module._note(**{"safe_loader_used" if safe else "unsafe_load_called": True})
        _note_load(module, operation, stream)
        # Since PyYAML 5.4 the full loader makes no objects of arbitrary classes; the state still follows
        # SecMutBench.
        harmless = safe or loader in ("FullLoader", "CFullLoader")
        log.event("deserial.safe" if harmless else "deserial.unsafe", f"yaml {loader}")

    def with_loader(real: Any) -> Any:
        @functools.wraps(real)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            stream = args[0] if args else kwargs.get("stream")
            loader = args[1] if len(args) > 1 else kwargs.get("Loader")
            note(real.__name__, stream, _nearest(loader))  # without a loader: refused, and unsafe
            return real(*args, **kwargs)

        return wrapper

    def wrap_loader(real: Any, loader: str) -> Any:
        @functools.wraps(real)
        def wrapper(stream: Any) -> Any:
            note(real.__name__, stream, loader)
            return real(stream)

        return wrapper

    functions = {name: with_loader(getattr(yaml, name)) for name in ("load", "load_all")}
    for kind in ("safe", "full", "unsafe"):
        for name in (f"{kind}_load", f"{kind}_load_all"):
            functions[name] = wrap_loader(getattr(yaml, name), f"{kind.title()}Loader")
    module = observed_module(yaml, log, "yaml", YAML_STATE, **functions)
    return module


def _nearest(loader: Any) -> str:
    """The library's loader from which a loader of the program is derived."""
    loaders = {*SAFE_LOADERS, "FullLoader", "CFullLoader", "UnsafeLoader", "Loader", "CLoader"}
    for kind in getattr(loader, "__mro__", ()):
        # By the module too: a class of the program may have the name of a safe loader.
        if kind.__name__ in loaders and str(kind.__module__).startswith("yaml"):
            return str(kind.__name__)
    return str(getattr(loader, "__name__", loader))


def marshal_module(log: Log) -> ObservedModule:
    """`marshal`."""

    def wrap_marshal(real: Any) -> Any:
        @functools.wraps(real)
        def wrapper(source: Any, /) -> Any:
            module._note(unsafe_load_called=True)
            log.event("deserial.unsafe", f"marshal.{real.__name__}")
            return real(source)

        return wrapper

    functions = {"loads": wrap_marshal(marshal.loads), "load": wrap_marshal(marshal.load)}
    module = observed_module(marshal, log, "marshal", MARSHAL_STATE, **functions)
    return module


def patch_shelve(log: Log) -> tuple[Any, str, Any]:
    """A shelf unpickles whatever stands in its file."""

    def unpickler(file: Any, *args: Any, **kwargs: Any) -> Any:
        if caller() == "program":
            log.event("deserial.unsafe", "shelve")
        return pickle.Unpickler(file, *args, **kwargs)  # noqa: S301 - what is asked

    return shelve, "Unpickler", unpickler


def PLUGIN(log: Log) -> Supplied:
    """`pickle`, `yaml` and `marshal` under their names."""
    modules = {
        "pickle": pickle_module(log),
        "yaml": yaml_module(log),
        "marshal": marshal_module(log),
    }
    mocks = {f"mock_{name}": module for name, module in modules.items()}
    return Supplied(
        modules=modules,
        names={**modules, **mocks},
        patches=(patch_shelve(log),),
    )


_P = "import pickle\ndef read(data):\n    return pickle.loads(data)\n"
_RAN = b"cbuiltins\nlen\n(S'abc'\ntR."
_R = (
    "import io, pickle\nclass Narrow(pickle.Unpickler):\n    def find_class(self, m, n):\n"
    "        raise pickle.UnpicklingError(n)\ndef read(data):\n    return Narrow(io.BytesIO(data)).load()\n"
)
_Y = "import yaml\ndef read(text):\n    return yaml.{}(text)\n"
EXAMPLES = (
    MockExample(
        _P,
        f"read({_RAN!r})",
        ("deserial.unsafe",),
        state={"pickle.unsafe_load_called": True, "pickle.load_count": 1, "pickle.last_data": _RAN},
        result=3,
    ),
    MockExample(
        _R, f"read({_RAN!r})", ("deserial.safe",), ("deserial.unsafe",), raises="UnpicklingError"
    ),
    MockExample(
        "import io, pickle\ndef read(d):\n    return pickle.Unpickler(io.BytesIO(d)).load()\n",
        "read(b'I7\\n.')",
        ("deserial.unsafe",),
        ("deserial.safe",),
        result=7,
    ),
    MockExample(
        _Y.format("safe_load"),
        "read('a: 1')",
        ("deserial.safe",),
        ("deserial.unsafe",),
        {"yaml.safe_loader_used": True, "yaml.unsafe_load_called": False},
        {"a": 1},
    ),
    MockExample(
        _Y.format("unsafe_load"),
        "read('!!python/object/apply:builtins.len [abc]')",
        ("deserial.unsafe",),
        state={"yaml.unsafe_load_called": True, "yaml.load_count": 1},
        result=3,
    ),
    MockExample(
        _Y.format("load"),
        "read('a: 1')",
        ("deserial.unsafe",),
        state={"yaml.unsafe_load_called": True, "yaml.load_count": 1},
        raises="TypeError",
    ),
    MockExample(
        "import marshal\ndef read(d):\n    return marshal.loads(d)\n",
        f"read({marshal.dumps(7)!r})",
        ("deserial.unsafe",),
        state={"marshal.unsafe_load_called": True},
        result=7,
    ),
)
