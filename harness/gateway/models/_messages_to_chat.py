"""A request of Anthropic's messages as a request of chat completions.

What has no form there raises BadRequest where the model would otherwise get a different request than the
agent's; what only steers the provider is left out and reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness.gateway.changes import Changes
from harness.gateway.dialects._json import dump, part
from harness.gateway.dialects._messages_answer import arguments_text
from harness.gateway.models._to_chat import (
    ChatRequest,
    ChatTools,
    OfferedTool,
    Part,
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

SAME = ("temperature", "top_p", "max_tokens")
CARRIED = frozenset(
    {
        *SAME,
        *("messages", "system", "stop_sequences", "tools", "tool_choice", "thinking"),
        *("output_config", "output_format"),
    }
)
CHOICES = {"any": "required", "auto": "auto", "none": "none"}
# Budgets of thinking up to which an effort stands for them; beyond, "high" does.
EFFORTS = ((2048, "low"), (8192, "medium"))
# Blocks of earlier answers for which chat has no place and without which a conversation reads on.
UNCARRIED = frozenset(
    {"thinking", "redacted_thinking", "server_tool_use", "tool_search_tool_result"}
)
Parts = Iterator[Part]


def messages_to_chat(body: Mapping[str, Any], changes: Changes) -> ChatRequest:
    """Raises BadRequest, and what a malformed body makes Python raise."""
    if body.get("compaction"):
        raise no_form("compaction", "a summary instead of an answer")
    chat = {name: body[name] for name in SAME if body.get(name) is not None}
    chat["messages"] = list(_all_messages(body, changes))
    if body.get("stop_sequences"):
        chat["stop"] = body["stop_sequences"]
    tools = _tools(body.get("tools"), changes)
    choice = body.get("tool_choice")
    chat |= tools_and_choice(tools, _choice(choice))
    if part(choice, "disable_parallel_tool_use") is True and tools.functions:
        chat["parallel_tool_calls"] = False
    config = body.get("output_config")
    chat |= _effort(body.get("thinking"), part(config, "effort"), changes)
    wanted = part(config, "format") or body.get("output_format")
    chat |= response_format(wanted)
    report_fields(config, "output_config", ("effort", "format"), changes)
    report_rest(body, CARRIED, changes)
    return ChatRequest(chat, tools)


def _effort(thinking: Any, effort: Any, changes: Changes) -> dict[str, Any]:
    """`reasoning_effort`: as requested, else as a budget of thinking corresponds to."""
    kind, budget = part(thinking, "type"), part(thinking, "budget_tokens")
    if kind == "disabled":
        changes.add("thinking: disabled is not carried to chat completions")
    report_fields(thinking, "thinking", ("type", "budget_tokens"), changes)
    if effort:
        return {"reasoning_effort": effort}
    if kind != "enabled" or not isinstance(budget, int):
        return {}
    word = next((word for max_budget, word in EFFORTS if budget <= max_budget), "high")
    changes.add(f"thinking: a budget is carried as reasoning_effort {word}")
    return {"reasoning_effort": word}


# tools


def _tools(tools: Any, changes: Changes) -> ChatTools:
    functions = ChatTools()
    for path, tool in each_object(tools, "tools"):
        kind = tool.get("type") or "custom"
        if str(kind).startswith("tool_search_tool"):
            changes.add("tools: all are offered at once, without a search for them")
        elif kind != "custom":
            raise no_form(path, kind)
        else:
            functions.add(
                OfferedTool(tool["name"]),
                tool.get("description"),
                tool["input_schema"],
                tool.get("strict"),
            )
    return functions


def _choice(choice: Any) -> Any:
    kind = part(choice, "type")
    return function_choice(choice["name"]) if kind == "tool" else CHOICES.get(str(kind))


# messages


def _all_messages(body: Mapping[str, Any], changes: Changes) -> Iterator[dict[str, Any]]:
    if system := body.get("system"):
        yield {"role": "system", "content": plain(_parts(system, "system", changes)) or ""}
    for path, message in each_object(body["messages"], "messages"):
        yield from _messages(message, path, changes)


def _messages(message: Mapping[str, Any], path: str, changes: Changes) -> Iterator[dict[str, Any]]:
    """The results of tools first, which must follow their calls; images of theirs with what the user says."""
    role, content = message["role"], message["content"]
    if isinstance(content, str):
        yield {"role": role, "content": content}
        return
    calls, parts = [], []
    for where, block in each_object(content, f"{path}.content"):
        kind = block.get("type")
        if kind == "tool_result":
            text, others = split(_result(block, where, changes))
            yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": text}
            parts += others
        elif kind == "tool_use":
            arguments = json_text(arguments_text(block.get("input")))
            calls.append(function_call(block["id"], block["name"], arguments))
        else:
            parts += _parts([block], f"{path}.content", changes)
    if parts or calls:
        chat_message = {"role": role, "content": plain(parts)}
        yield chat_message | ({"tool_calls": calls} if calls else {})


def _result(block: Mapping[str, Any], path: str, changes: Changes) -> Parts:
    if block.get("is_error") is True:
        # Chat completions have no mark for a failed tool; without a word the model would take it for success.
        yield text_part("[error]")
    yield from _parts(block.get("content") or "", f"{path}.content", changes)


# parts


def _parts(content: Any, path: str, changes: Changes) -> Parts:
    """The parts of a content. Raises BadRequest for a block that chat completions cannot say."""
    if isinstance(content, str):
        yield text_part(content)
        return
    for where, block in each_object(content, path):
        kind = str(block.get("type"))
        if kind in UNCARRIED:
            changes.add(f"{kind}: not carried to chat completions")
        elif kind in PARTS:
            yield from PARTS[kind](block, where)
        else:
            raise no_form(where, kind)
        if block.get("cache_control") is not None:
            changes.add("cache_control: not carried to chat completions")


def _text(block: Mapping[str, Any], path: str) -> Parts:
    yield text_part(block["text"])


def _image(block: Mapping[str, Any], path: str) -> Parts:
    source = block["source"]
    yield image_part(f"data:{source.get('media_type', 'image/png')};base64,{source['data']}")


def _document(block: Mapping[str, Any], path: str) -> Parts:
    """A PDF as a file, text as text, and the parts of a document that consists of some."""
    source, title = block["source"], block.get("title")
    heads = [text for text in (title, block.get("context")) if text]
    yield from map(text_part, heads)
    kind = source["type"]
    if kind == "base64":
        data = f"data:{source.get('media_type', 'application/pdf')};base64,{source['data']}"
        yield file_part(data, title)
    elif kind == "text":
        yield text_part(source["data"])
    else:
        inner = source["content"]
        blocks = [{"type": "text", "text": inner}] if isinstance(inner, str) else inner
        for where, block_part in each_object(blocks, f"{path}.source.content"):
            if block_part.get("type") not in ("text", "image"):
                raise no_form(where, block_part.get("type"))
            yield from PARTS[block_part["type"]](block_part, where)


def _search_result(block: Mapping[str, Any], path: str) -> Parts:
    yield text_part(f"{block['title']} ({block['source']})")
    for _, block_part in each_object(block["content"], f"{path}.content"):
        yield text_part(block_part["text"])


def _reference(block: Mapping[str, Any], path: str) -> Parts:
    yield text_part(f"[the tool {dump(block['tool_name'])} can be called]")


def _compaction(block: Mapping[str, Any], path: str) -> Parts:
    if not isinstance(block.get("content"), str):
        raise no_form(path, "a compaction without a summary")
    yield text_part(block["content"])


PARTS: Mapping[str, Callable[[Mapping[str, Any], str], Parts]] = {
    "text": _text,
    "image": _image,
    "document": _document,
    "search_result": _search_result,
    "tool_reference": _reference,
    "compaction": _compaction,
}
