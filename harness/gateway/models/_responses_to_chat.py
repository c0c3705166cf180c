"""A request of OpenAI's responses as a request of chat completions.

What has no form there raises BadRequest where the model would otherwise get a different request than the
agent's; what only steers the provider is left out and reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness.gateway.changes import Changes
from harness.gateway.dialects._json import part
from harness.gateway.models._to_chat import (
    TEXT_SCHEMA,
    ChatRequest,
    ChatTools,
    OfferedTool,
    Part,
    arguments_with,
    chat_name,
    each_object,
    file_part,
    function_call,
    function_choice,
    image_part,
    json_text,
    no_form,
    plain,
    report_fields,
    report_rest,
    response_format,
    split,
    text_part,
    tools_and_choice,
)

SAME = (
    *("temperature", "top_p", "seed", "user", "parallel_tool_calls"),
    *("safety_identifier", "prompt_cache_key"),
)
CARRIED = frozenset(
    {
        *SAME,
        *("input", "instructions", "max_output_tokens", "reasoning", "text", "tools"),
        "tool_choice",
    }
)
Item = Mapping[str, Any]


def responses_to_chat(body: Mapping[str, Any], changes: Changes) -> ChatRequest:
    """Raises BadRequest, and what a malformed body makes Python raise."""
    # The gateway has no stored answers to continue: without them the model would get half a conversation.
    if body.get("previous_response_id") is not None:
        raise no_form("previous_response_id", "what is stored at the provider")
    chat = {name: body[name] for name in SAME if body.get(name) is not None}
    if body.get("max_output_tokens") is not None:
        chat["max_tokens"] = body["max_output_tokens"]
    request_input = body.get("input") or ""
    items = (
        [{"role": "user", "content": request_input}]
        if isinstance(request_input, str)
        else request_input
    )
    tools, choice = _tools(body, items, changes)
    conversation = _Conversation(changes)
    if body.get("instructions"):
        conversation.messages.append({"role": "system", "content": body["instructions"]})
    for path, item in each_object(items, "input"):
        conversation.add(item, path)
    chat["messages"] = conversation.end()
    if (effort := part(body.get("reasoning"), "effort")) is not None:
        chat["reasoning_effort"] = effort
    if (verbosity := part(body.get("text"), "verbosity")) is not None:
        chat["verbosity"] = verbosity
    chat |= response_format(part(body.get("text"), "format"))
    _expect_objects(body)
    report_fields(body.get("reasoning"), "reasoning", ("effort",), changes)
    report_fields(body.get("text"), "text", ("verbosity", "format"), changes)
    report_rest(body, CARRIED, changes)
    return ChatRequest(chat | tools_and_choice(tools, choice), tools)


def _expect_objects(body: Mapping[str, Any]) -> None:
    for name in ("reasoning", "text"):
        if not isinstance(body.get(name), dict | None):
            raise no_form(name, "what is no object")


# tools


def _tools(body: Mapping[str, Any], items: Any, changes: Changes) -> tuple[ChatTools, Any]:
    """All tools, wherever in the request they stand, and the choice among them."""
    functions = ChatTools()
    for path, tool in each_object(body.get("tools"), "tools"):
        _add_tool(functions, tool, path, changes)
    for path, item in each_object(items, "input"):
        if item.get("type") in ("additional_tools", "tool_search_output"):
            for where, tool in each_object(item.get("tools"), f"{path}.tools"):
                _add_tool(functions, tool, where, changes)
    choice = body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") != "allowed_tools":
        return functions, _choice(choice)
    allowed = {_choice(tool)["function"]["name"] for tool in choice["tools"]}
    functions.functions = [
        function for function in functions.functions if function["function"]["name"] in allowed
    ]
    return functions, choice.get("mode")


def _add_tool(functions: ChatTools, tool: Item, path: str, changes: Changes) -> None:
    kind = tool.get("type")
    if kind == "namespace":
        for where, inner in each_object(tool["tools"], f"{path}.tools"):
            _add_named(functions, inner, where, tool)
    elif kind == "tool_search":
        if tool.get("execution") == "client":
            raise no_form(path, "a search for tools by the agent")
        changes.add("tools: all are offered at once, without a search for them")
    else:
        _add_named(functions, tool, path, {})


def _add_named(functions: ChatTools, tool: Item, path: str, group: Item) -> None:
    """Add a function, for a custom tool with a single text; the description names its group and grammar."""
    kind = tool.get("type")
    if kind not in ("function", "custom"):
        raise no_form(path, kind)
    about = [tool.get("description"), _grammar(tool.get("format"))]
    if group:
        about.append(f"Of the group {group['name']}: {group.get('description', '')}")
    schema = TEXT_SCHEMA if kind == "custom" else tool.get("parameters")
    functions.add(
        OfferedTool(tool["name"], kind, group.get("name", "")),
        "\n\n".join(filter(None, about)),
        schema or {"type": "object", "properties": {}},
        tool.get("strict"),
    )


def _grammar(form: Any) -> str:
    if part(form, "type") != "grammar":
        return ""
    return f"The text must match this grammar ({form.get('syntax')}):\n{form.get('definition')}"


def _choice(choice: Any) -> Any:
    """A word, or a function by its name, in chat's form."""
    if isinstance(choice, dict) and choice.get("name"):
        return function_choice(
            chat_name(OfferedTool(choice["name"], namespace=choice.get("namespace", "")))
        )
    return choice if choice in ("auto", "none", "required") else None


# items


class _Conversation:
    """Messages built from items: what belongs to the same answer of the model becomes a single message."""

    def __init__(self, changes: Changes) -> None:
        self.messages: list[dict[str, Any]] = []
        self._changes = changes
        # Parts of tools' outputs that a tool's message cannot hold: they follow in a user's message.
        self._others: list[Part] = []

    def add(self, item: Item, path: str) -> None:
        kind = item.get("type", "message")
        if kind in UNCARRIED:
            self._changes.add(f"{kind}: not carried to chat completions")
        elif kind in ITEMS:
            ITEMS[kind](self, item, path)
        else:
            raise no_form(path, kind)

    def end(self) -> list[dict[str, Any]]:
        self._flush()
        return self.messages

    def _flush(self) -> None:
        if self._others:
            self.messages.append({"role": "user", "content": self._others})
            self._others = []

    def message(self, item: Item, path: str) -> None:
        self._flush()
        role = {"developer": "system"}.get(item["role"], item["role"])
        content = plain(_parts(item.get("content") or "", f"{path}.content"))
        self.messages.append({"role": role, "content": content or ""})

    def call(self, item: Item, path: str) -> None:
        self._flush()
        # Parallel calls are items of their kind here, and belong to a single message in chat completions.
        if not (self.messages and self.messages[-1]["role"] == "assistant"):
            self.messages.append({"role": "assistant", "content": None})
        is_custom = item["type"] == "custom_tool_call"
        arguments = arguments_with(item.get("input", "")) if is_custom else item.get("arguments")
        tool = OfferedTool(item["name"], namespace=item.get("namespace") or "")
        call = function_call(item["call_id"], chat_name(tool), json_text(arguments))
        self.messages[-1].setdefault("tool_calls", []).append(call)

    def output(self, item: Item, path: str) -> None:
        text, others = split(_parts(item.get("output") or "", f"{path}.output"))
        message = {"role": "tool", "tool_call_id": item["call_id"], "content": text}
        self.messages.append(message)
        # Not at once: between the results of parallel calls chat completions allow no further message.
        self._others += others


# Items that chat has no place for and a conversation reads on without; their tools are offered at once.
UNCARRIED = frozenset({"reasoning", "additional_tools", "tool_search_call", "tool_search_output"})
ITEMS: Mapping[str, Callable[[_Conversation, Item, str], None]] = {
    "message": _Conversation.message,
    "function_call": _Conversation.call,
    "custom_tool_call": _Conversation.call,
    "function_call_output": _Conversation.output,
    "custom_tool_call_output": _Conversation.output,
}


# parts


def _parts(content: Any, path: str) -> Iterator[Part]:
    """The parts of a content. Raises BadRequest for a part that chat completions do not have."""
    if isinstance(content, str):
        yield text_part(content)
        return
    if not isinstance(content, list):
        raise no_form(path, "what is neither text nor a list")
    for where, content_part in each_object(content, path):
        kind = content_part.get("type")
        if kind in TEXTS:
            yield text_part(content_part[TEXTS[kind]])
        elif kind == "input_image":
            yield image_part(content_part["image_url"], content_part.get("detail"))
        elif kind == "input_file":
            yield file_part(content_part["file_data"], content_part.get("filename"))
        else:
            raise no_form(where, kind)


TEXTS = {"input_text": "text", "output_text": "text", "text": "text", "refusal": "refusal"}
