"""What of a request of each dialect is let through to a provider: fields, types of parts, types of tools.

Everything that is not listed stays out, so that what vendors add next stays out until somebody has read
what it does; `tests/harness/gateway/test_seal_places.py` walks the types of the installed SDKs (`--real`: of
their newest releases) and fails where they have something on which nothing is decided here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

STORED = "what is stored at the provider is out of reach here; send the whole conversation"


@dataclass(frozen=True)
class SealRules:
    """The rules of a dialect.

    passed: fields of the body. content: those of them that hold parts, which are walked. refused: fields
    that a request cannot do without, so that it is refused, each with the reason. parts: types of parts
    within `content`. tools: types of tools that the agent itself runs, or that only search the request's
    further tools. untyped: the type of a tool without a type. tool_fields: all fields of a tool, where a
    further field could be read as a second tool; empty: any field.
    """

    passed: frozenset[str]
    parts: frozenset[str]
    tools: re.Pattern[str]
    content: tuple[str, ...]
    refused: Mapping[str, str] = field(default_factory=dict)
    untyped: str = ""
    tool_fields: frozenset[str] = frozenset()


# Fields of vLLM, llama.cpp, DeepSeek, Qwen and OpenRouter that steer how a model answers, and no more.
_SAMPLING_OF_SERVERS = (
    *("top_k", "min_p", "typical_p", "top_a", "repetition_penalty", "length_penalty"),
    *("min_tokens", "ignore_eos", "stop_token_ids", "include_stop_str_in_output", "bad_words"),
    *("skip_special_tokens", "spaces_between_special_tokens", "truncate_prompt_tokens"),
    *("structured_outputs", "guided_json", "guided_regex", "guided_choice", "guided_grammar"),
    *("chat_template_kwargs", "reasoning", "include_reasoning", "enable_thinking"),
    *("thinking", "thinking_budget", "cache_prompt", "use_beam_search"),
)
_OPENAI_ALIKE = (
    *("metadata", "model", "moderation", "parallel_tool_calls", "prompt_cache_key"),
    *("prompt_cache_options", "prompt_cache_retention", "safety_identifier", "store"),
    *("stream", "stream_options", "temperature", "tool_choice", "tools", "top_logprobs"),
    *("top_p", "user"),
)
# Lists of what passes, since vendors add tools and fields with each release (the test walks their SDKs).
# LiteLLM reads a tool by its keys and gives Gemini `{"googleSearch": {}}` for its own (1.106.2).
CHAT = SealRules(
    passed=frozenset(
        (
            *_OPENAI_ALIKE,
            *("audio", "frequency_penalty", "function_call", "functions", "logit_bias"),
            *("logprobs", "max_completion_tokens", "max_tokens", "messages", "modalities"),
            *("n", "prediction", "presence_penalty", "reasoning_effort", "response_format"),
            *("seed", "stop", "verbosity"),
            *_SAMPLING_OF_SERVERS,
        )
    ),
    parts=frozenset(
        (
            *("text", "image_url", "input_audio", "audio_url", "video_url", "file", "refusal"),
            *("function", "custom", "thinking", "redacted_thinking", "ephemeral", "content"),
        )
    ),
    tools=re.compile("function|custom"),
    content=("messages", "prediction"),
    tool_fields=frozenset({"type", "function", "custom", "cache_control"}),
)
COMPLETIONS = SealRules(
    passed=frozenset(
        (
            *("prompt", "suffix", "echo", "logprobs", "temperature", "top_p", "n", "stop"),
            *("seed", "max_tokens", "presence_penalty", "frequency_penalty", "logit_bias"),
            *("model", "stream", "stream_options", "user"),
            *_SAMPLING_OF_SERVERS,
        )
    ),
    parts=frozenset(),
    # No tools in this dialect: the pattern matches nothing.
    tools=re.compile("(?!)"),
    content=(),
)
RESPONSES = SealRules(
    passed=frozenset(
        (
            *_OPENAI_ALIKE,
            *("access_programs", "context_management", "image", "include", "input"),
            *("instructions", "max_output_tokens", "max_tool_calls", "previous_response_id"),
            *("reasoning", "text", "truncation", "client_metadata"),
        )
    ),
    parts=frozenset(
        (
            *("message", "input_text", "input_image", "input_file", "output_text", "refusal"),
            *("text", "reasoning", "summary_text", "reasoning_text", "item_reference"),
            *("function_call", "function_call_output"),
            *("custom_tool_call", "custom_tool_call_output"),
            *("local_shell_call", "local_shell_call_output", "exec"),
            *("shell_call", "shell_call_output", "local", "exit", "timeout"),
            *("apply_patch_call", "apply_patch_call_output"),
            *("create_file", "delete_file", "update_file"),
            *("tool_search_call", "tool_search_output", "additional_tools"),
            *("compaction", "compaction_trigger", "configuration_update", "direct"),
        )
    ),
    tools=re.compile("function|custom|namespace|local_shell|shell|apply_patch|tool_search"),
    content=("input",),
    refused={
        "conversation": STORED,
        "prompt": "prompts that are stored at the provider are out of reach here; send the text",
    },
)
MESSAGES = SealRules(
    passed=frozenset(
        (
            *("cache_control", "compaction", "context_management", "diagnostics"),
            *("max_tokens", "messages", "metadata", "model", "output_config", "output_format"),
            *("stop_sequences", "stream", "system", "temperature", "thinking"),
            *("tool_choice", "tools", "top_k", "top_p"),
        )
    ),
    parts=frozenset(
        (
            *("text", "image", "document", "search_result", "base64", "content"),
            *("thinking", "redacted_thinking", "tool_use", "tool_result", "direct"),
            *("server_tool_use", "tool_search_tool_result", "tool_search_tool_search_result"),
            *("tool_search_tool_result_error", "tool_reference"),
            *("tool_addition", "tool_removal", "tool_definition", "compaction", "ephemeral"),
        )
    ),
    tools=re.compile(
        r"custom|(?:bash|text_editor|memory)_\d{8}|tool_search_tool_(?:bm25|regex)(?:_\d{8})?"
    ),
    content=("messages", "system"),
    refused={"thread": STORED},
    untyped="custom",
)
RULES: Mapping[str, SealRules] = {
    "chat": CHAT,
    "completions": COMPLETIONS,
    "responses": RESPONSES,
    "messages": MESSAGES,
}
# Tools run by Anthropic that search the request's own tools: a `server_tool_use` of any other is refused.
SEARCHES_OWN_TOOLS = ("tool_search_tool_regex", "tool_search_tool_bm25")
# Fields of parts whose content a provider would fetch.
LINKS = ("image_url", "file_url", "video_url", "audio_url", "url")
# Fields of parts that name what is stored at the provider; LiteLLM takes addresses in `file_id` as well.
IDENTIFIERS = ("file_id", "file_ids", "container_id")
# Fields of parts and tools that hold data in a form of the agent's own, or notes that nobody acts upon.
OPAQUE = frozenset(
    {
        *("input_schema", "parameters", "output_schema", "schema", "arguments", "input_examples"),
        *("annotations", "citations", "logprobs", "metadata", "format", "input"),
    }
)
