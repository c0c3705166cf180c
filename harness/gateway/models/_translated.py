"""A call in a dialect that a model does not speak, translated to a second dialect, and its answer back.

Messages and responses become chat completions where an endpoint speaks those alone; chat completions become
responses where a model of OpenAI's calls tools only there. The only dialect that is never translated is
`completions`: a chat model answers a text, and does not go on with it.

The answer is complete before it is written in the dialect of the request: its stream begins when the model
has ended. The agent gets the model's reasoning, which is not carried back to the model.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from harness.gateway.changes import Changes
from harness.gateway.dialects import BadRequest, Call, Dialect
from harness.gateway.dialects._json import line
from harness.gateway.dialects.chat import usage_is_hidden
from harness.gateway.models import (
    Answer,
    LanguageModel,
    ProviderFault,
    Stream,
    Unseen,
    Whole,
)
from harness.gateway.models._answered import AnsweredItems
from harness.gateway.models._betas import report_betas
from harness.gateway.models._chat_to_responses import chat_to_responses
from harness.gateway.models._messages_to_chat import messages_to_chat
from harness.gateway.models._responses_only import PROVIDER, needs_responses
from harness.gateway.models._responses_to_chat import responses_to_chat
from harness.gateway.models._sealed import seal_body
from harness.gateway.models._to_chat import ChatRequest, ChatTools
from harness.gateway.neutral import Reply
from parsers.registry import lookup

COMPLETIONS, CHAT, RESPONSES = "completions", "chat", "responses"
ToChat = Callable[[Mapping[str, Any], Changes], ChatRequest]
# A dialect's name -> its request as one of chat completions.
CHATTED: Mapping[str, ToChat] = {"messages": messages_to_chat, "responses": responses_to_chat}


class Speaker(LanguageModel, Protocol):
    """A model whose endpoint's dialects are listed, by name."""

    @property
    def speaks(self) -> frozenset[str]: ...


@dataclass(frozen=True)
class BroughtCall:
    """A call as the model gets it. `tools`: which of the agent's tools its functions stand for."""

    call: Call
    tools: ChatTools


class TranslatedModel:
    """Passes calls on in the dialects that a model speaks, and translates the rest."""

    def __init__(self, model: Speaker) -> None:
        self.name, self._model = model.name, model
        self._items = AnsweredItems()

    async def answer(self, call: Call) -> Answer:
        """Raises ProviderFault, BadRequest."""
        if call.dialect.name == COMPLETIONS:
            _ = (
                call.parsed_request
            )  # raises BadRequest: several prompts in one call would pass the cap
            if COMPLETIONS not in self._model.speaks:
                raise BadRequest(f"{self.name}: this provider goes on with no text, it only chats")
        brought = self._translate_call(call)
        if brought.call is call:
            return await self._model.answer(call)
        answer = await self._model.answer(brought.call)
        if isinstance(answer, Stream):
            raise ProviderFault("a stream where none was asked for")
        if isinstance(answer.body, bytes) or answer.status != 200:
            return answer
        reply = brought.call.dialect.read(answer.body)
        calls = tuple(map(brought.tools.call_of, reply.tool_calls))
        return self._render_answer(call, replace(reply, tool_calls=calls))

    def _translate_call(self, call: Call) -> BroughtCall:
        """The call itself where the model speaks its dialect, else its translation. Raises BadRequest."""
        chat, tools = call, ChatTools()
        if call.dialect.name not in self._model.speaks:
            if call.dialect.name == RESPONSES:
                call = replace(call, body=self._items.put_in(call.body))
            _ = call.parsed_request  # raises BadRequest, which says where the form is not right
            report_betas(call.headers, call.changes)
            request: ChatRequest = _form(CHATTED[call.dialect.name], call)
            chat, tools = (
                _call_in_dialect(CHAT, call, self._with_limit(request.body)),
                request.tools,
            )
        # Behind the translation to chat, since messages to such a model take both steps.
        is_chat = chat.dialect.name == CHAT and RESPONSES in self._model.speaks
        if is_chat and needs_responses(self.name, chat.body):
            chat.changes.add("chat completions: asked as responses, where this model calls tools")
            chat = _call_in_dialect(RESPONSES, chat, _form(chat_to_responses, chat))
        return BroughtCall(chat, tools)

    def _with_limit(self, chat: dict[str, Any]) -> dict[str, Any]:
        """The request with its limit by the only name that all of OpenAI's models take."""
        if self.name.partition("/")[0] == PROVIDER and "max_tokens" in chat:
            chat["max_completion_tokens"] = chat.pop("max_tokens")
        return chat

    def _render_answer(self, call: Call, reply: Reply) -> Answer:
        rendered = call.dialect.render(reply, self.name, call.number)
        if call.dialect.name == RESPONSES:
            self._items.keep(rendered)
        doubt = reply.tokens.doubt if reply.tokens else ""
        if call.body.get("stream") is not True:
            return Whole(rendered, finish=reply.finish, terms=reply.terms, doubt=doubt)
        return Stream(_each(call, rendered), reply.finish, reply.terms, doubt)

    async def close(self) -> None:
        await self._model.close()


def _call_in_dialect(dialect: str, call: Call, body: dict[str, Any]) -> Call:
    """A call in another dialect, which is not streamed."""
    spoken: Dialect = lookup("harness.gateway.dialects", dialect)
    return replace(call, dialect=spoken, body=body, headers={})


def _form(bring: Callable[[Mapping[str, Any], Changes], Any], call: Call) -> Any:
    """The request in another dialect's form, with nothing in it that reaches out. Raises BadRequest."""
    body = seal_body(call.body, call.dialect.name, call.changes)
    try:
        return bring(body, call.changes)
    except BadRequest:
        raise
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise BadRequest(line(f"the request has no form in another dialect: {error!r}")) from error


async def _each(call: Call, body: dict[str, Any]) -> AsyncIterator[bytes]:
    for event in call.dialect.stream(body):
        is_hidden = call.dialect.name == CHAT and usage_is_hidden(call.body, event)
        yield Unseen(event) if is_hidden else event
