"""What a call must not have a provider do: an agent without network must not use the provider's.

Providers run hosted tools (search, fetching, code), connect to servers of an agent's choice (MCP), fetch
files by URL and store what earlier calls left there; each is a way out of the seal, for reading as for
writing. Tiers that cost more than the price of a model go too, and answers that are paid for but not
delivered. `_seal_rules.py` lists what is let through. Tools and fields are taken out, which `Changes`
reports; a part of a conversation is refused instead, since without it the model would get a different
request.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from harness.gateway.changes import Changes
from harness.gateway.dialects import BadRequest
from harness.gateway.dialects._json import line
from harness.gateway.models._seal_rules import (
    IDENTIFIERS,
    LINKS,
    OPAQUE,
    RULES,
    SEARCHES_OWN_TOOLS,
    STORED,
    SealRules,
)

# What a `tool_addition` or `tool_removal` of Anthropic's may name; all others are tools of MCP servers.
TOOL_CHANGES = ("tool_reference", "tool_definition")
DIRECT_CALLER = "direct"
# Types of a `tool_choice` that say nothing of a tool's type.
CHOICES = frozenset({"auto", "any", "none", "required", "tool"})
LEADING = frozenset({*LINKS, *IDENTIFIERS, "audio"})
# Where a value stands: the path of what contains it (None at the top), and its key.
Path = tuple[Any, str | int]


def seal_body(
    body: Mapping[str, Any],
    dialect: str,
    changes: Changes | None = None,
    answered: Container[str] = (),
) -> dict[str, Any]:
    """The body without what reaches out.

    answered: identifiers in the answers to this attempt, which it may refer to. Raises BadRequest for content
    that is to be fetched or is stored elsewhere, and for parts of a type that is not listed.
    """
    return _Seal(RULES[dialect], Changes() if changes is None else changes, answered).body(body)


class _HostedTool(Exception):
    """A part introduces a tool that the provider runs; the code that holds the part leaves it out."""


class _Seal:
    """A request on its way through. Values that need no change are passed on, not copied."""

    def __init__(self, rules: SealRules, changes: Changes, answered: Container[str]) -> None:
        self._rules, self._changes, self._answered = rules, changes, answered
        # Names of the tools that were taken out; types of those without a name.
        self._hosted: set[Any] = set()
        # The same of those that were let through, wherever they stood.
        self._own: set[Any] = set()

    def body(self, body: Mapping[str, Any]) -> dict[str, Any]:
        rules = self._rules
        for name, reason in rules.refused.items():
            if body.get(name) is not None:
                raise BadRequest(f"{name}: {reason}")
        self._expect_answered(body.get("previous_response_id"), (None, "previous_response_id"))
        passed = {name: value for name, value in body.items() if name in rules.passed}
        # Left out and not refused: clients send fields of their vendor by themselves.
        for name in body.keys() - passed.keys():
            # Clients write null for fields that they do not set: leaving those out changes nothing.
            if body[name] is not None:
                self._changes.add(f"{line(name)}: not passed on")
        if passed.get("tools") is not None:
            passed["tools"] = self._tools(passed["tools"], (None, "tools"))
        for name in rules.content:
            if name in passed:
                passed[name] = self._content(passed[name], name)
        return self._with_choice(passed)

    # tools

    def _tools(self, tools: Any, path: Path) -> list[Any]:
        """The tools that the agent runs: the same list where that is all of them."""
        if not isinstance(tools, list):
            raise BadRequest(f"{_show_path(path)}: must be a list")
        sealed_tools = [self._tool(tool, (path, i)) for i, tool in enumerate(tools)]
        # Identity and not equality, which would compare megabytes of a conversation at each call.
        if all(map(_is_unchanged, sealed_tools, tools)):
            return tools
        return [tool for tool in sealed_tools if tool is not None]

    def _tool(self, tool: Any, path: Path) -> dict[str, Any] | None:
        """A tool that the agent runs, or None for a tool of the provider's."""
        if not isinstance(tool, dict):
            raise BadRequest(f"{_show_path(path)}: must be an object")
        kind = tool.get("type") or self._rules.untyped
        is_own = isinstance(kind, str) and self._rules.tools.fullmatch(kind)
        # The same type runs at the agent or in OpenAI's container, depending on its environment.
        if not is_own or (kind == "shell" and not _is_local(tool.get("environment"))):
            self._leave_out(tool, kind)
            return None
        if kind == "namespace":
            inner = self._tools(tool.get("tools"), (path, "tools"))
            if not inner and inner is not tool["tools"]:
                self._leave_out(tool, kind)
                return None
            tool = tool if inner is tool["tools"] else {**tool, "tools": inner}
        self._own.add(_name(tool, kind))
        return self._with_fields(tool, kind)

    def _leave_out(self, tool: Mapping[str, Any], kind: Any) -> None:
        self._hosted.add(_name(tool, kind))
        self._changes.add(f"tools: {line(str(kind)) or 'one without a type'} taken out")

    def _with_fields(self, tool: dict[str, Any], kind: str) -> dict[str, Any]:
        """The tool without fields that introduce others, and without callers that the provider runs.

        A tool for such callers alone could not be called at all.
        """
        only = self._rules.tool_fields
        left_out = [key for key in tool if only and key not in only]
        if tool.get("allowed_callers") not in (None, [DIRECT_CALLER]):
            left_out.append("allowed_callers")
        for key in left_out:
            self._changes.add(f"tools: {line(key)} of {kind} not passed on")
        return {k: v for k, v in tool.items() if k not in left_out} if left_out else tool

    def _with_choice(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body without a list of tools that is empty now, and without a choice that has lost its tool."""
        # A choice that demands a tool is an error at the provider once no tool is left.
        is_lost = bool(self._hosted) and not self._own and "functions" not in body
        if body.get("tools") == []:
            del body["tools"]
            is_lost = not self._own
        choice = body.get("tool_choice")
        if choice is None:
            return body
        left = None if is_lost else self._choice(choice)
        if left is None:
            del body["tool_choice"]
            self._changes.add("tool_choice: taken out with its tool")
        else:
            body["tool_choice"] = left
        return body

    def _choice(self, choice: Any) -> Any:
        """The choice among the tools that are left, or None."""
        if not isinstance(choice, dict):
            return choice
        kind = choice.get("type")
        if kind == "allowed_tools":
            return self._filter_allowed_tools(choice)
        word = str(kind)
        is_own = kind is None or word in CHOICES or self._rules.tools.fullmatch(word)
        return choice if is_own and not self._is_hosted(_name(choice, kind)) else None

    def _filter_allowed_tools(self, choice: dict[str, Any]) -> dict[str, Any] | None:
        """A choice among some tools, which stand beside `mode` or, in chat, within `allowed_tools`."""
        inner = choice.get("allowed_tools")
        holder = inner if isinstance(inner, dict) else choice
        tools = holder.get("tools")
        if not isinstance(tools, list):
            raise BadRequest("tool_choice.tools: must be a list")
        left = [tool for tool in tools if isinstance(tool, dict) and self._choice(tool)]
        if len(left) == len(tools):
            return choice
        self._changes.add("tool_choice: tools of the provider taken out")
        holder = {**holder, "tools": left}
        changed = {**choice, "allowed_tools": holder} if isinstance(inner, dict) else holder
        return changed if left else None

    def _is_hosted(self, name: Any) -> bool:
        return name in self._hosted and name not in self._own

    # content

    def _content(self, value: Any, name: str) -> Any:
        try:
            return self._part(value, (None, name))
        except _HostedTool as error:  # not within a list, from which it could be left out
            raise BadRequest(f"{name}: must be a list") from error

    def _part(self, value: Any, path: Path) -> Any:
        """A content, a message, a part: itself where nothing of it changes. Raises _HostedTool."""
        if isinstance(value, list):
            return self._list(value, path)
        return self._object(value, path) if isinstance(value, dict) else value

    def _list(self, items: list[Any], path: Path) -> list[Any]:
        through: list[Any] = []
        is_changed = False
        for i, item in enumerate(items):
            if not isinstance(item, dict | list):
                through.append(item)
                continue
            try:
                part = self._part(item, (path, i))
            except _HostedTool:
                is_changed = True
                continue
            if part is item:
                through.append(item)
                continue
            is_changed = True
            if not _is_emptied(item, part):
                through.append(part)
        return through if is_changed else items

    def _object(self, item: dict[str, Any], path: Path) -> dict[str, Any]:
        _expect_data(item, path)
        self._expect_listed(item, path)
        changed: dict[str, Any] = {}
        for key, value in item.items():
            if isinstance(value, dict | list) and key not in OPAQUE:
                part = self._field(key, value, (path, key))
                if part is not value:
                    changed[key] = part
        return {**item, **changed} if changed else item

    def _field(self, key: str, value: Any, path: Path) -> Any:
        if key == "tools":
            return self._tools(value, path)
        if key == "definition":
            return self._definition(value, path)
        if key == "tool":
            self._expect_own_tool(value)
        return self._part(value, path)

    def _definition(self, tool: Any, path: Path) -> dict[str, Any]:
        """A tool that stands alone. Raises _HostedTool."""
        sealed_tool = self._tool(tool, path)
        if sealed_tool is None:
            raise _HostedTool
        return sealed_tool

    def _expect_own_tool(self, tool: Any) -> None:
        """Raises _HostedTool for a reference to what is not the agent's, or was taken out."""
        kind = tool.get("type") if isinstance(tool, dict) else None
        if kind not in TOOL_CHANGES or self._is_hosted(_name(tool, kind)):
            self._changes.add(f"tools: {line(str(kind))} taken out")
            raise _HostedTool

    def _expect_listed(self, item: Mapping[str, Any], path: Path) -> None:
        """Raises BadRequest for a part of a type that is not let through."""
        kind = item.get("type")
        if kind is None and _is_reference(item, path):
            kind = "item_reference"  # in the types of OpenAI's SDK it may have none
        if kind is None:
            return
        if not isinstance(kind, str) or kind not in self._rules.parts:
            raise BadRequest(f"{_show_path(path)}: {line(str(kind))} is not let through here")
        if kind == "server_tool_use" and item.get("name") not in SEARCHES_OWN_TOOLS:
            raise BadRequest(
                f"{_show_path(path)}: a tool that the provider runs is not let through here"
            )
        if kind == "item_reference":
            self._expect_answered(item.get("id"), (path, "id"))

    def _expect_answered(self, identifier: Any, path: Path) -> None:
        if identifier is not None and not (
            isinstance(identifier, str) and identifier in self._answered
        ):
            where = _show_path(path)
            raise BadRequest(f"{where}: no answer of this attempt has this identifier; {STORED}")


def _expect_data(item: Mapping[str, Any], path: Path) -> None:
    """Raises BadRequest where content stands elsewhere."""
    if LEADING.isdisjoint(item):
        return
    for name in LINKS:
        link = item.get(name)
        if isinstance(link, dict):
            link = link.get("url")
        # The provider would fetch it: reading for an agent without network, and writing by the address.
        if isinstance(link, str) and not link.startswith("data:"):
            where = _show_path((path, name))
            raise BadRequest(f"{where}: nothing is fetched by URL here; send the content as data:")
    for name in IDENTIFIERS:
        if item.get(name):
            raise BadRequest(f"{_show_path((path, name))}: {STORED}")
    # OpenAI's audio answers are referred to by an id, and stored for the account.
    audio = item.get("audio")
    if isinstance(audio, dict) and audio.get("id"):
        raise BadRequest(f"{_show_path((path, 'audio'))}: {STORED}")


def _name(tool: Mapping[str, Any], kind: Any) -> Any:
    """What a tool is referred to by: its name, or its type."""
    function = tool.get(kind) if kind in ("function", "custom") else None
    holder = function if isinstance(function, dict) else tool
    name = holder.get("name")
    return name if isinstance(name, str) else str(kind)


def _show_path(path: Path | None) -> str:
    keys: list[str] = []
    while path is not None:
        path, key = path
        keys.append(line(str(key)))
    return ".".join(reversed(keys))


def _is_unchanged(sealed_tool: Any, tool: Any) -> bool:
    return sealed_tool is tool


def _is_reference(item: Mapping[str, Any], path: Path) -> bool:
    """Whether an item of `input` is neither typed nor a message."""
    is_item = path[0] is not None and path[0][0] is None
    return is_item and "role" not in item and "id" in item


def _is_emptied(before: Any, after: Any) -> bool:
    """Whether an item introduced only tools of the provider, or a message only such items."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    key = "tools" if before.get("type") == "additional_tools" else "content"
    return bool(before.get(key)) and after.get(key) == [] and "tool_use_id" not in before


def _is_local(environment: Any) -> bool:
    """Whether a shell runs at the agent: it has no environment, or an environment that says so."""
    if environment is None:
        return True
    return isinstance(environment, dict) and environment.get("type") == "local"
