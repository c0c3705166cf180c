"""`mock_eval`: observable evaluation. The audit hook records Python's `eval` and `exec`."""

from __future__ import annotations

import ast
import builtins
import sys
from types import CodeType
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import Observed

STATE: dict[str, Any] = {
    "unsafe_eval_called": False,
    "unsafe_exec_called": False,
    "last_code": None,
    "injection_detected": False,
    "safe_eval_called": False,
    "eval_count": 0,
    "exec_count": 0,
    "operations": [],
}
# As in SecMutBench's MockEval.
SUSPICIOUS = (
    *("__import__", "os.system", "subprocess", "open(", "exec(", "eval(", "__class__"),
    *("__bases__", "__subclasses__", "__globals__", "__builtins__", "getattr(", "setattr("),
    "compile(",
)


class Evaluation(Observed):
    """`eval`, `exec`, `compile` and `literal_eval`, really executed and recorded."""

    def __init__(self, log: Log) -> None:
        self._observe(log, "eval", STATE)

    def _note_code(self, kind: str, code: Any) -> None:
        text = code if isinstance(code, str) else repr(code)
        suspicious = any(word in text.lower() for word in SUSPICIOUS)
        state = vars(self)["_state"]
        state["operations"].append({"type": kind, "code": text, "injection_detected": suspicious})
        # Once seen it stays: a harmless evaluation afterwards takes nothing back.
        self._note(last_code=code, injection_detected=state["injection_detected"] or suspicious)
        if f"{kind}_count" in state:
            self._note(
                **{f"unsafe_{kind}_called": True, f"{kind}_count": state[f"{kind}_count"] + 1}
            )

    def eval(self, code: Any, globals: Any = None, locals: Any = None) -> Any:
        self._note_code("eval", code)
        return builtins.eval(code, _namespace(globals), locals)  # noqa: S307 - what is asked

    def exec(self, code: Any, globals: Any = None, locals: Any = None) -> None:
        self._note_code("exec", code)
        builtins.exec(code, _namespace(globals), locals)  # noqa: S102 - what is asked

    def compile(self, source: Any, filename: str = "<string>", mode: str = "exec") -> CodeType:
        self._note_code("compile", source)
        return builtins.compile(source, filename, mode, dont_inherit=True)

    def literal_eval(self, code: Any) -> Any:
        self._note(safe_eval_called=True, last_code=code)
        return ast.literal_eval(code)

    def is_safe_expression(self, code: str) -> bool:
        """Whether `literal_eval` takes it."""
        try:
            ast.literal_eval(code)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return False
        return True


def _namespace(value: Any) -> Any:
    """The names of the caller, as the builtins see them."""
    # Two frames up: this function, and the method that the program called.
    return sys._getframe(2).f_globals if value is None else value


def PLUGIN(log: Log) -> Supplied:
    """`mock_eval`."""
    return Supplied(names={"mock_eval": Evaluation(log)})


EXAMPLES = (
    MockExample(
        "def work(text):\n    return mock_eval.eval(text)\n",
        "work('1 + 1')",
        state={"mock_eval.unsafe_eval_called": True, "mock_eval.injection_detected": False},
        result=2,
    ),
    MockExample(
        "def work(text):\n    return mock_eval.eval(text)\n",
        "work('__import__(\"math\").pi > 3')",
        state={"mock_eval.injection_detected": True, "mock_eval.unsafe_exec_called": False},
        result=True,
    ),
    MockExample(
        "def work(t):\n    return mock_eval.literal_eval(t)\n", "work('len')", raises="ValueError"
    ),
)
