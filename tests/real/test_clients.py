"""The vendors' client libraries against our gateway: what they read of an answer, in each dialect they speak."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.gateway.gateway import Gateway
from harness.gateway.neutral import Reply, Tokens, ToolCall
from harness.gateway.price import FREE
from tests.harness.gateway.serving import Plain
from tests.real.releases import (
    ROW,
    compare_node_releases,
    compare_releases,
    install,
    installed_version,
    printed_facts,
)

pytestmark = pytest.mark.real
REPLY = Reply(
    "Good day.",
    (ToolCall("call_1", "look", '{"path": "a b.c"}'),),
    stop="tools",
    tokens=Tokens(30, 12, cached=10, reasoning=4),
)
TRUTH = {"text": "Good day.", "tool": "look", "path": "a b.c", "tokens": [30, 12]}
SDK = """
import json, sys, {module}
client = {module}.{name}(base_url={base}, api_key=sys.argv[2], max_retries=0)
ASK = [{{"role": "user", "content": "hi"}}]
TOOL = {{"type": "object", "properties": {{"path": {{"type": "string"}}}}}}

def told(text, name, arguments, given, made):
    path = (json.loads(arguments) if isinstance(arguments, str) else arguments)["path"]
    return {{"text": text, "tool": name, "path": path, "tokens": [given, made]}}
{body}
print(json.dumps(facts))
"""
OPENAI = """
def chat(answer):
    said = answer.choices[0].message
    call = said.tool_calls[0].function
    return told(said.content, call.name, call.arguments, answer.usage.prompt_tokens, answer.usage.completion_tokens)

def response(answer):
    call = next(item for item in answer.output if item.type == "function_call")
    return told(answer.output_text, call.name, call.arguments, answer.usage.input_tokens, answer.usage.output_tokens)

tools = [{"type": "function", "function": {"name": "look", "parameters": TOOL}}]
flat = [{"type": "function", "name": "look", "parameters": TOOL, "strict": False}]
facts = [chat(client.chat.completions.create(model="m", messages=ASK, tools=tools))]
options = {"include_usage": True}
with client.chat.completions.stream(model="m", messages=ASK, tools=tools, stream_options=options) as events:
    facts.append(chat(events.get_final_completion()))
facts.append(response(client.responses.create(model="m", input="hi", tools=flat)))
with client.responses.stream(model="m", input="hi", tools=flat) as events:
    for _ in events: pass
    facts.append(response(events.get_final_response()))
"""
ANTHROPIC = """
def message(answer):
    text = "".join(block.text for block in answer.content if block.type == "text")
    call = next(block for block in answer.content if block.type == "tool_use")
    used = answer.usage
    given = used.input_tokens + (used.cache_read_input_tokens or 0)
    return told(text, call.name, call.input, given, used.output_tokens)

tools = [{"name": "look", "input_schema": TOOL}]
asked = dict(model="m", max_tokens=64, messages=ASK, tools=tools)
facts = [message(client.messages.create(**asked))]
with client.messages.stream(**asked) as events:
    facts.append(message(events.get_final_message()))
"""
LITELLM = """
import json, sys, litellm
answer = litellm.completion(model="openai/m", api_base=sys.argv[1] + "/v1", api_key=sys.argv[2],
    messages=[{"role": "user", "content": "hi"}])
said = answer.choices[0].message
call = said.tool_calls[0].function
used = answer.usage
print(json.dumps([{"text": said.content, "tool": call.name, "path": json.loads(call.arguments)["path"],
    "tokens": [used.prompt_tokens, used.completion_tokens]}]))
"""
MISTRAL = """
import json, sys
try:
    from mistralai.client import Mistral
except ImportError:
    from mistralai import Mistral
client = Mistral(api_key=sys.argv[2], server_url=sys.argv[1])
answer = client.chat.complete(model="m", messages=[{"role": "user", "content": "hi"}])
said = answer.choices[0].message
call = said.tool_calls[0].function
arguments = call.arguments if isinstance(call.arguments, dict) else json.loads(call.arguments)
print(json.dumps([{"text": said.content, "tool": call.name, "path": arguments["path"],
    "tokens": [answer.usage.prompt_tokens, answer.usage.completion_tokens]}]))
"""
GOOGLE = """
import json, sys
from google import genai
from google.genai import errors
client = genai.Client(api_key=sys.argv[2], http_options={"base_url": sys.argv[1]})
models = client.models
asked = {"model": "m", "contents": "hi"}
facts = []
for ask in (models.generate_content, lambda **asked: list(models.generate_content_stream(**asked))):
    try:
        facts.append([200, str(ask(**asked))])
    except errors.APIError as error:
        facts.append([error.code, error.message])
print(json.dumps(facts))
"""
PYTHON = {
    "openai": (
        SDK.format(module="openai", name="OpenAI", base='sys.argv[1] + "/v1"', body=OPENAI),
        4,
    ),
    "anthropic": (
        SDK.format(module="anthropic", name="Anthropic", base="sys.argv[1]", body=ANTHROPIC),
        2,
    ),
    "litellm": (LITELLM, 1),
}
NODE_OPENAI = """
import OpenAI from "openai";
const client = new OpenAI({baseURL: process.argv[2] + "/v1", apiKey: process.argv[3], maxRetries: 0});
const told = (text, call, given, made) =>
  ({text, tool: call.name, path: JSON.parse(call.arguments).path, tokens: [given, made]});
const chat = await client.chat.completions.create({model: "m", messages: [{role: "user", content: "hi"}]});
const said = chat.choices[0].message;
const facts = [told(said.content, said.tool_calls[0].function, chat.usage.prompt_tokens, chat.usage.completion_tokens)];
const answer = await client.responses.stream({model: "m", input: "hi"}).finalResponse();
const call = answer.output.find((item) => item.type === "function_call");
facts.push(told(answer.output_text, call, answer.usage.input_tokens, answer.usage.output_tokens));
console.log(JSON.stringify(facts));
"""
NODE_ANTHROPIC = """
import Anthropic from "@anthropic-ai/sdk";
const client = new Anthropic({baseURL: process.argv[2], apiKey: process.argv[3], maxRetries: 0});
const asked = {model: "m", max_tokens: 64, messages: [{role: "user", content: "hi"}]};
const facts = [await client.messages.create(asked), await client.messages.stream(asked).finalMessage()].map((answer) => {
  const call = answer.content.find((block) => block.type === "tool_use");
  const used = answer.usage;
  return {text: answer.content.find((block) => block.type === "text").text, tool: call.name, path: call.input.path,
    tokens: [used.input_tokens + (used.cache_read_input_tokens ?? 0), used.output_tokens]};
});
console.log(JSON.stringify(facts));
"""
NODE = {
    "openai": (NODE_OPENAI, "7.59.0", 2),
    "@anthropic-ai/sdk": (NODE_ANTHROPIC, "1.14.0", 2),
}


@pytest.fixture(scope="module")
def served() -> Iterator[list[str]]:
    """The address of a gateway, and its token."""
    with Gateway() as gateway:
        opened = gateway.open(Plain(REPLY), price=FREE)
        yield [gateway.listen(opened), opened.account.token]


@pytest.mark.parametrize("package", PYTHON)
def test_a_python_client_reads_our_answers(
    package: str, served: list[str], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    script, number = PYTHON[package]
    (tmp_path / "client.py").write_text(script)
    compare_releases(
        request,
        tmp_path,
        package,
        lambda programs: printed_facts([programs / "python", "client.py", *served], tmp_path),
        [TRUTH] * number,
    )


def test_mistral_s_client_reads_our_answers(
    served: list[str], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """No release is pinned: nothing of ours depends on it."""
    (tmp_path / "client.py").write_text(MISTRAL)
    programs = install(tmp_path / "newest", "mistralai")
    found = printed_facts([programs / "python", "client.py", *served], tmp_path)
    row = f"| mistralai | none | {installed_version(programs, 'mistralai')} | {'held' if found == [TRUTH] else 'moved'} |"
    request.node.user_properties.append((ROW, row))
    assert found == [TRUTH]


@pytest.mark.needs("npm")
@pytest.mark.parametrize("package", NODE)
def test_a_node_client_reads_our_answers(
    package: str, served: list[str], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    script, pinned, number = NODE[package]
    truth = [TRUTH] * number
    compare_node_releases(request, tmp_path, {package: pinned}, script, served, truth)


def test_google_s_client_is_told_that_its_dialect_is_not_spoken(
    served: list[str], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """It speaks none but its own dialect. No release is pinned."""
    (tmp_path / "client.py").write_text(GOOGLE)
    programs = install(tmp_path / "newest", "google-genai")
    facts = printed_facts([programs / "python", "client.py", *served], tmp_path)
    version = installed_version(programs, "google-genai")
    is_told = len(facts) == 2 and all(c == 404 and "/v1/messages" in told for c, told in facts)
    state = "held: 404, which names what is served" if is_told else "moved"
    request.node.user_properties.append((ROW, f"| google-genai | none | {version} | {state} |"))
    assert is_told, facts
