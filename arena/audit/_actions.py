"""A trajectory to the agent's actions: commands that it ran, files that it changed, what it was shown.

ATIF is read (`harness/agents/_atif.py`). The tools of agents differ by name, so they are recognised by the
shape of their arguments: a command line, a path with a text, a path alone, a patch, an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.audit._commands import commands, remember, written_by
from parsers.shell import MAX_TEXT, Simple

# Steps that are read, over all conversations; an attempt of 75 calls has some hundreds.
MAX_STEPS = 20_000
# Characters of arguments and results that are read.
MAX_CHARS = 64 << 20
COMMAND_KEYS = ("command", "cmd", "commands", "script", "chars", "keystrokes", "input", "code")
PATH_KEYS = ("path", "file_path", "filePath", "filename", "file", "notebook_path", "target_file")
TEXT_KEYS = ("file_text", "content", "contents", "new_str", "new_string", "newString", "text")
PATCH_KEYS = ("patch", "patchText", "diff", "input", "raw")
URL_KEYS = ("url", "urls", "uri")
EDITOR_VERBS = frozenset({"view", "create", "str_replace", "insert", "undo_edit"})
PYTHON_TOOLS = frozenset({"python", "ipython", "execute_ipython_cell", "run_ipython", "jupyter"})
WEB_TOOLS = frozenset({"websearch", "web_search", "google_search"})
_FENCED = re.compile(r"```(?:bash|sh|shell|mswea_bash_command)\n(.*?)\n```", re.DOTALL)
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.{1,4096})$", re.MULTILINE)
_DIFFED = re.compile(r"^\+\+\+ (?:b/)?(\S{1,4096})", re.MULTILINE)


@dataclass(frozen=True)
class At:
    """Where in a trajectory: a step, of a sub-trajectory where `sub` is not "", and what came of it."""

    step: int | None = None
    sub: str = ""
    result: str = ""


@dataclass(frozen=True)
class RanCommand:
    """A simple command."""

    at: At
    simple: Simple


@dataclass(frozen=True)
class Edited:
    """A file that got a text, by an editor or by a shell; `whole` where the file is nothing else now."""

    at: At
    path: str
    text: str


@dataclass(frozen=True)
class SeenActions:
    """What an agent was shown."""

    at: At
    text: str


@dataclass(frozen=True)
class Unread:
    """A part that was not read, because it is too long or no trajectory."""

    at: At
    why: str


Action = RanCommand | Edited | SeenActions | Unread


def actions(trajectory: object) -> Iterator[Action]:
    """All actions, in order; sub-trajectories after the main trajectory. Raises nothing."""
    if not isinstance(trajectory, Mapping) or not isinstance(trajectory.get("steps"), list):
        yield Unread(At(), "the trajectory is not in the form that is read (ATIF)")
        return
    reader = _Reading()
    for sub, conversation in _conversations(trajectory):
        texts = _texts_only(conversation)
        for step in conversation["steps"]:
            if not isinstance(step, Mapping):
                continue
            if reader.spent():
                yield Unread(At(_number(step), sub), "the trajectory is too long to be read whole")
                return
            yield from reader.step(step, sub, texts)


def _conversations(trajectory: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "", trajectory
    subs = trajectory.get("subagent_trajectories")
    for sub in subs if isinstance(subs, list) else ():
        if isinstance(sub, Mapping) and isinstance(sub.get("steps"), list):
            yield _text(sub.get("trajectory_id")) or "sub", sub


def _texts_only(trajectory: Mapping[str, Any]) -> bool:
    """Whether an agent without tools writes its commands as fenced text. Aider's fences are only advice."""
    agent = trajectory.get("agent")
    if isinstance(agent, Mapping) and agent.get("name") == "aider":
        return False
    return not any(isinstance(s, Mapping) and s.get("tool_calls") for s in trajectory["steps"])


class _Reading:
    """Stores which scripts were written, and how far reading went."""

    def __init__(self) -> None:
        self.scripts: dict[str, str] = {}
        self._steps = self._chars = 0

    def spent(self) -> bool:
        self._steps += 1
        return self._steps > MAX_STEPS or self._chars > MAX_CHARS

    def step(self, step: Mapping[str, Any], sub: str, fenced: bool) -> Iterator[Action]:
        results = _results(step)
        self._chars += sum(map(len, results.values()))
        number = _number(step)
        # A step without a call of the model was written by the harness, and is no act of the agent.
        if step.get("source") == "agent" and step.get("llm_call_count") != 0:
            for id_, name, arguments in _calls(step):
                yield from self._call(At(number, sub, results.get(id_, "")), name, arguments)
            if fenced:
                for block in _FENCED.findall(_text(step.get("message"))):
                    yield from self._run(At(number, sub), block)
        for text in results.values():
            yield SeenActions(At(number, sub, text), text)

    def _call(self, at: At, name: str, arguments: Mapping[str, Any]) -> Iterator[Action]:
        path, url = _first(arguments, PATH_KEYS), _first(arguments, URL_KEYS)
        verb = _first(arguments, COMMAND_KEYS)
        if url:
            yield RanCommand(at, Simple(("curl", url)))
        elif name.lower() in WEB_TOOLS:
            yield RanCommand(at, Simple(("websearch", _first(arguments, ("query",)))))
        elif patch := next(filter(_is_patch, _strings(arguments, PATCH_KEYS)), ""):
            yield from self._read_patch_call(at, patch)
        elif path and (not verb or verb in EDITOR_VERBS):
            yield from self._read_path_call(at, path, arguments, _first(arguments, TEXT_KEYS))
        elif verb and name.lower() in PYTHON_TOOLS:
            yield RanCommand(at, Simple(("python", "-"), here_document=verb, code=verb[:MAX_TEXT]))
        elif verb:
            yield from self._run(at, verb)
        elif searched := _first(arguments, ("pattern", "query", "regex")):
            yield RanCommand(at, Simple(("grep", "-r", searched)))

    def _read_path_call(
        self, at: At, path: str, arguments: Mapping[str, Any], text: str
    ) -> Iterator[Action]:
        self._chars += len(text)
        if any(key in arguments for key in TEXT_KEYS):
            yield self._edit(at, path, text)
        elif searched := _first(arguments, ("pattern", "query", "regex")):
            program = ("find", path, "-name") if "glob" in arguments else ("grep", "-r")
            words = (*program, searched) if program[0] == "find" else (*program, searched, path)
            yield RanCommand(at, Simple(words))
        else:
            yield RanCommand(at, Simple(("cat", path)))

    def _read_patch_call(self, at: At, patch: str) -> Iterator[Action]:
        self._chars += len(patch)
        lines = (line[1:] for line in patch[:MAX_TEXT].split("\n") if line.startswith("+"))
        text = "\n".join(lines)
        # Bounded, as a patch may name any number of files; the text is the same for each of them.
        for path in (*_PATCHED.findall(patch[:MAX_TEXT]), *_DIFFED.findall(patch[:MAX_TEXT]))[:100]:
            yield self._edit(at, path, text)

    def _run(self, at: At, text: str) -> Iterator[Action]:
        self._chars += len(text)
        if len(text) > MAX_TEXT:
            yield Unread(at, f"only the first {MAX_TEXT >> 10} KiB of the command are read")
        for simple in commands(text, self.scripts):
            yield RanCommand(at, simple)
            if simple.program == "apply_patch":
                patch = simple.here_document or " ".join(simple.arguments)
                yield from self._read_patch_call(at, patch)
            for path, content in written_by(simple):
                yield Edited(at, path, content)

    def _edit(self, at: At, path: str, text: str) -> Edited:
        remember(self.scripts, path, text)
        return Edited(at, path, text)


def _is_patch(text: str) -> bool:
    return "*** Begin Patch" in text[:1000] or "\n+++ " in text[:10_000]


def _calls(step: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    calls = step.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, Mapping) and isinstance(call.get("arguments"), Mapping):
            name, id_ = _text(call.get("function_name")), _text(call.get("tool_call_id"))
            yield id_, name, call["arguments"]


def _results(step: Mapping[str, Any]) -> dict[str, str]:
    """Results of a step's tool calls, by the call's id."""
    observation = step.get("observation")
    results = observation.get("results") if isinstance(observation, Mapping) else None
    results_by_id: dict[str, str] = {}
    for at, result in enumerate(results if isinstance(results, list) else ()):
        if isinstance(result, Mapping):
            results_by_id[_text(result.get("source_call_id")) or f"#{at}"] = _text(
                result.get("content")
            )
    return results_by_id


def _first(arguments: Mapping[str, Any], keys: Sequence[str]) -> str:
    return next(iter(_strings(arguments, keys)), "")


def _strings(arguments: Mapping[str, Any], keys: Sequence[str]) -> list[str]:
    """What stands under the keys, if it is text; words of a command (`["bash", "-lc", ...]`) are joined."""
    return [text for text in (_join_words(arguments.get(key)) for key in keys) if text]


def _join_words(value: object) -> str:
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        import shlex

        return shlex.join(value)
    return _text(value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(step: Mapping[str, Any]) -> int | None:
    number = step.get("step_id")
    return number if isinstance(number, int) and not isinstance(number, bool) else None
