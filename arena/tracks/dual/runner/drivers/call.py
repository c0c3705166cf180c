"""Driver for Python: loads a candidate from its file and makes the calls that come over the channel.

    python call.py FILE ENTRY...

The protocol is in the package's docstring. The module is named like the file's stem, never "__main__".
"""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import sys
import types
from importlib.machinery import ModuleSpec, SourceFileLoader

from call_values import (  # type: ignore[import-not-found]  # a script's own folder is on its path
    CUT,
    DRAINED,
    Encoder,
    decode_value,
    text_of,
)

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

HIGH = 100  # the channel's descriptors go where no program looks by accident
OPTIONS = {
    "options",
    "opts",
    "data",
    "input",
    "payload",
    "params",
    "args",
    "config",
    "request",
    "body",
}


class Channel:
    """The two pipes of ARENA_CHANNEL, moved out of the way and closed in whatever is started."""

    def __init__(self) -> None:
        descriptors = [int(number) for number in os.environ.pop("ARENA_CHANNEL").split(",")]
        # Closed on exec: a program that the candidate starts must not answer in its place.
        self.reading, self.writing = (
            fcntl.fcntl(n, fcntl.F_DUPFD_CLOEXEC, HIGH) for n in descriptors
        )
        for number in descriptors:
            os.close(number)
        self.owner = os.getpid()
        self.lines = os.fdopen(self.reading, "rb")
        os.register_at_fork(after_in_child=self._leave)

    def _leave(self) -> None:
        os.close(self.writing)

    def send(self, answer: dict[str, Any]) -> None:
        """Ends the process instead when it is a copy that the candidate forked and that came back."""
        # A forked copy that returns from the call would write a second answer.
        if os.getpid() != self.owner:
            os._exit(0)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError, AttributeError):
                continue  # the candidate closed or replaced it
        line = memoryview(_encode(answer).encode("ascii") + b"\n")
        while line:
            line = line[os.write(self.writing, line) :]


_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode


class NotLoaded(Exception):
    """The candidate or its functions cannot be loaded. kind: an element of the package's FAILURES."""

    def __init__(self, kind: str, error: BaseException | None, text: str = "", name: str = ""):
        super().__init__(text)
        self.answer = {
            "kind": kind,
            "type": type(error).__name__ if error else "",
            "text": text or text_of(error, show=str),
            "name": name,
        }


def load(file: str) -> types.ModuleType:
    """The candidate as a module. Raises NotLoaded."""
    folder, name = os.path.split(os.path.abspath(file))  # noqa: PTH100
    stem = name.rpartition(".")[0] or name
    # A candidate called `json.py` must not take the place of the module that this driver uses.
    if stem in sys.modules:
        stem = f"candidate_{stem}"
    loader = SourceFileLoader(stem, file)
    try:
        code = compile(loader.get_data(file), file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotLoaded("syntax-error", error) from error
    # Without the driver's folder: a candidate could otherwise import its helpers by accident.
    sys.path[:] = [folder, *(p for p in sys.path if p != os.path.dirname(__file__))]  # noqa: PTH120
    sys.argv = [file]
    module = types.ModuleType(stem)
    module.__file__, module.__loader__ = file, loader
    module.__spec__ = ModuleSpec(stem, loader, origin=file)
    sys.modules[stem] = module
    try:
        exec(code, module.__dict__)  # noqa: S102 - this is what the jail is for
    except ModuleNotFoundError as error:
        raise NotLoaded("missing-dependency", error, name=str(error.name or "")) from error
    except SystemExit as error:
        raise NotLoaded("died", error, f"ended with {error.code!r} when imported") from error
    except BaseException as error:
        raise NotLoaded("import-error", error) from error
    return module


MISMATCH = "CallMismatch"  # a function does not take the arguments at all, whatever they are


def fold_name(name: str) -> str:
    return name.replace("_", "").casefold()


class Names:
    """What a candidate's functions are called, and which of them a task means."""

    def __init__(self, module: types.ModuleType):
        self.all = vars(module)
        self.own = {
            name: value
            for name, value in self.all.items()
            if callable(value) and getattr(value, "__module__", None) == module.__name__
        }
        self.objects: dict[type, Any] = {}

    def find(self, text: str, *, alone: bool) -> tuple[str, Callable[..., Any]]:
        """Find a function: exact, by letters, a method, or (`alone`) the only function. Raises NotLoaded."""
        for look in (self._exact, self._match_letters, self._method):
            if result := look(text):
                return result
        public = self.public()
        if alone and len(public) == 1:
            return public[0], self.own[public[0]]
        there = ", ".join(public[:20]) or "none"
        raise NotLoaded("no-entry-point", None, f"no function {text}; there are: {there}", text)

    def public(self) -> list[str]:
        return [n for n, v in self.own.items() if n[:1] != "_" and not isinstance(v, type)]

    def _exact(self, text: str) -> tuple[str, Callable[..., Any]] | None:
        if callable(self.all.get(text)):
            return text, self.all[text]
        owner, dot, name = text.rpartition(".")
        kind = self.all.get(owner) if dot else None
        return self._bind_method(kind, name) if isinstance(kind, type) else None

    def _match_letters(self, text: str) -> tuple[str, Callable[..., Any]] | None:
        alike = [name for name in self.own if fold_name(name) == fold_name(text)]
        return (alike[0], self.own[alike[0]]) if alike else None

    def _method(self, text: str) -> tuple[str, Callable[..., Any]] | None:
        for kind in [value for value in self.own.values() if isinstance(value, type)]:
            names = [n for n in dir(kind) if fold_name(n) == fold_name(text) and n[:2] != "__"]
            for name in sorted(names, key=lambda n: n != text):
                if method := self._bind_method(kind, name):
                    return method
        return None

    def _bind_method(self, kind: type, name: str) -> tuple[str, Callable[..., Any]] | None:
        """The method of the class's only object, which stays the same from call to call."""
        try:
            if kind not in self.objects:
                self.objects[kind] = kind()
            method = getattr(self.objects[kind], name)
        except Exception:  # noqa: BLE001 - a class that cannot be made without arguments has no entry
            method = getattr(kind, name, None)
            if isinstance(method, types.FunctionType) and not _is_static(kind, name):
                return None
        return (f"{kind.__name__}.{name}", method) if callable(method) else None


def _is_static(kind: type, name: str) -> bool:
    return any(isinstance(vars(k).get(name), staticmethod) for k in kind.__mro__)


def fit_arguments(
    function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments as the function takes them: by name, by alike names, by position, or as a dict."""
    if not kwargs:
        return args, kwargs
    import inspect

    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return args, kwargs
    alike = {fold_name(name): name for name in signature.parameters}
    renamed = {
        name if name in signature.parameters else alike.get(fold_name(name), name): value
        for name, value in kwargs.items()
    }
    ways: list[tuple[list[Any], dict[str, Any]]] = [(args, kwargs)]
    if len(renamed) == len(kwargs):
        ways.append((args, renamed))
    ways.append(([*args, *kwargs.values()], {}))
    # The style of JavaScript, which models carry over to Python: one dictionary of options.
    if not args and len(kwargs) > 1 and next(iter(signature.parameters), "") in OPTIONS:
        ways.append(([kwargs], {}))
    for way in ways:
        try:
            signature.bind(*way[0], **way[1])
        except TypeError:
            continue
        return way
    return args, kwargs


def await_result(result: Any) -> Any:
    """What an awaitable comes to, and the first items of an asynchronous iterator."""
    if not hasattr(type(result), "__await__") and not hasattr(type(result), "__anext__"):
        return result
    import asyncio

    async def collect_result() -> Any:
        if hasattr(type(result), "__await__"):
            return await result
        items = []
        async for item in result:
            items.append(item)
            if len(items) > DRAINED:
                break
        return iter(items)

    return asyncio.run(collect_result())


def describe_exception(error: BaseException) -> dict[str, Any]:
    kinds = [kind.__name__ for kind in type(error).__mro__[1:] if kind is not object]
    return {"raised": type(error).__name__, "bases": kinds, "text": text_of(error, show=str)[:CUT]}


def call_function(function: Callable[..., Any], request: dict[str, Any]) -> dict[str, Any]:
    try:
        args = [decode_value(value) for value in request.get("args", [])]
        kwargs = {name: decode_value(value) for name, value in request.get("kwargs", {}).items()}
        args, kwargs = fit_arguments(function, args, kwargs)
        try:
            result = function(*args, **kwargs)
        except TypeError as error:
            # Raised by the call itself and not within the function: the signature does not fit, which is no
            # refusal.
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                return {
                    **describe_exception(error),
                    "raised": MISMATCH,
                    "bases": ["TypeError", "Exception"],
                }
            raise
        return {"value": Encoder().encode_value(await_result(result))}
    except BaseException as error:  # noqa: BLE001 - SystemExit too is an answer
        return describe_exception(error)


def serve(channel: Channel, file: str, texts: Sequence[str]) -> None:
    try:
        names = Names(load(file))
        functions = {name: names.find(name, alone=len(texts) == 1) for name in texts}
    except NotLoaded as error:
        channel.send({"failed": error.answer})
        return
    channel.send({"ready": True, "names": {name: entry[0] for name, entry in functions.items()}})
    for line in channel.lines:
        request = json.loads(line)
        name = request["call"]
        try:
            entry = functions.get(name) or names.find(name, alone=False)
            answer = call_function(entry[1], request)
        except NotLoaded as error:
            answer = {"raised": "AttributeError", "bases": ["Exception"], "text": str(error)}
        channel.send(answer)


if __name__ == "__main__":
    serve(Channel(), sys.argv[1], sys.argv[2:])
    # Threads that the candidate left running must not keep the program from ending.
    atexit._run_exitfuncs()
    os._exit(0)
