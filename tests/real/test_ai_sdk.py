"""Vercel's AI SDK with its providers through our gateway, sealed as for an agent, to an endpoint behind it.

A tool is run and its result sent back, as agents do: the second request repeats what was answered and thought,
in the form that the package chose (references to items, thoughts with a signature, `reasoning_content`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.gateway.dialects import Call
from harness.gateway.gateway import Gateway
from harness.gateway.models import Answer
from harness.gateway.models.direct import open_direct
from harness.gateway.neutral import Reply, Tokens, ToolCall
from harness.gateway.price import FREE
from tests.harness.gateway.serving import Plain
from tests.real.releases import compare_node_releases

pytestmark = [pytest.mark.real, pytest.mark.needs("npm")]
LOOK = ToolCall("call_1", "look", '{"path": "a b.c"}')
FIRST = Reply("Good day.", (LOOK,), "I think.", "tools", Tokens(30, 12, cached=10, reasoning=4))
LAST = Reply("Good bye.", tokens=Tokens(40, 3))
PINNED = {
    "ai": "7.0.173",
    "@ai-sdk/openai": "4.0.118",
    "@ai-sdk/anthropic": "4.0.105",
    "@ai-sdk/openai-compatible": "3.0.92",
}
# Name -> the model as which the endpoint is opened; the last one speaks chat completions alone.
ENDPOINTS = {
    "openai": "openai/m",
    "anthropic": "anthropic/m",
    "chats": "hosted_vllm/m",
}
SCRIPT = """
import {generateText, streamText, tool, jsonSchema, stepCountIs} from "ai";
import {createOpenAI} from "@ai-sdk/openai";
import {createAnthropic} from "@ai-sdk/anthropic";
import {createOpenAICompatible} from "@ai-sdk/openai-compatible";
const at = JSON.parse(process.argv[2]);
const models = {
  responses: createOpenAI(at.openai)("gpt-5"),
  chat: createOpenAI(at.openai).chat("gpt-5"),
  messages: createAnthropic(at.anthropic)("claude-sonnet-4-5"),
  compatible: createOpenAICompatible({...at.chats, name: "arena", includeUsage: true})("m"),
  "responses to chat": createOpenAI(at.chats)("gpt-5"),
  "messages to chat": createAnthropic(at.chats)("claude-sonnet-4-5"),
};
const seen = [];
const look = tool({
  description: "looks", execute: async ({path}) => { seen.push(path); return "seen"; },
  inputSchema: jsonSchema({type: "object", properties: {path: {type: "string"}}}),
});
const providerOptions = {
  openai: {reasoningEffort: "low", reasoningSummary: "auto"},
  anthropic: {thinking: {type: "enabled", budgetTokens: 1024}},
  arena: {reasoningEffort: "low"},
};
const facts = {};
for (const [name, model] of Object.entries(models)) {
  for (const streams of [false, true]) {
    const asked = {model, prompt: "hi", tools: {look}, maxRetries: 0, stopWhen: stepCountIs(3), providerOptions};
    const errors = [];
    try {
      const run = streams ? streamText({...asked, onError: ({error}) => errors.push(String(error))})
        : await generateText(asked);
      const [steps, used] = [await run.steps, await run.totalUsage];
      facts[`${name}${streams ? ", streamed" : ""}`] = {
        texts: steps.map((step) => step.text), thought: steps[0].reasoningText ?? "", errors,
        path: seen.pop() ?? "", tokens: [used.inputTokens, used.outputTokens], finish: await run.finishReason,
      };
    } catch (error) {
      facts[`${name}${streams ? ", streamed" : ""}`] = [String(error), error.responseBody, ...errors];
    }
  }
}
console.log(JSON.stringify(facts));
"""
WHOLE = {
    "texts": ["Good day.", "Good bye."],
    "thought": "I think.",
    "errors": [],
    "path": "a b.c",
    "tokens": [70, 15],
    "finish": "stop",
}
# OpenAI's own chat completions have no place for thoughts, and its client reads none there.
UNTHOUGHT = {**WHOLE, "thought": ""}
TRUTH = {
    f"{name}{form}": UNTHOUGHT if name == "chat" else WHOLE
    for name in (
        *("responses", "chat", "messages", "compatible"),
        *("responses to chat", "messages to chat"),
    )
    for form in ("", ", streamed")
}


class TwoSteps(Plain):
    """Calls a tool; says good bye when it has the tool's result."""

    async def answer(self, call: Call) -> Answer:
        is_run = any(
            message.role == "tool" for message in _sent_whole(call).parsed_request.messages
        )
        self.reply = LAST if is_run else FIRST
        return await super().answer(call)


def _sent_whole(call: Call) -> Call:
    """The call without references to items, which a provider would have stored."""
    given = call.body.get("input")
    if not isinstance(given, list):
        return call
    parts = [part for part in given if part.get("type") != "item_reference"]
    return Call(call.dialect, {**call.body, "input": parts})


@pytest.fixture
def endpoints(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Addresses and keys of gateways before one endpoint, as JSON: what each package is made with."""
    with Gateway() as gateway:
        behind = gateway.open(TwoSteps(), price=FREE)
        base = f"{gateway.listen(behind)}/v1"
        for name in ("OPENAI", "ANTHROPIC", "HOSTED_VLLM"):
            monkeypatch.setenv(f"{name}_API_KEY", behind.account.token)
        opened = {
            name: gateway.open(open_direct(model, base), price=FREE)
            for name, model in ENDPOINTS.items()
        }
        yield json.dumps(
            {
                name: {"baseURL": f"{gateway.listen(one)}/v1", "apiKey": one.account.token}
                for name, one in opened.items()
            }
        )
        for one in (behind, *opened.values()):
            assert not one.account.broken
            assert {row.status for row in one.account.calls} == {200}


def test_tools_thoughts_and_streams_come_over(
    endpoints: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    compare_node_releases(request, tmp_path, PINNED, SCRIPT, [endpoints], TRUTH)
