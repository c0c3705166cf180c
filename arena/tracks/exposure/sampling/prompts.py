"""The prompt of a model in each mode.

`instruct`: the wording alone, as a user writes it; a word of ours would be part of what is scored.
`completion`: the scenario's prefix, which a base model goes on with.
`completion-chat`: the same prefix, shown to a model that only chats, which is to go on with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from arena.models.blocks import fence
from arena.models.completion import CompletionRequest
from arena.tracks.exposure.sampling.state import Mode
from arena.tracks.exposure.tasks.pack import Scenario

PURPOSE = "exposure"
CONTINUE = (
    "You complete Python files. You are shown the beginning of a file. Answer with the code that comes "
    "next and completes what was begun, in a single ```python block, and with nothing else. Do not repeat "
    "what you were shown."
)


def request_for(scenario: Scenario, wording: int, sample: int, mode: Mode) -> CompletionRequest:
    """The request for a sample of a wording."""
    return _REQUESTS[mode](scenario, wording, sample)


def _instruct(scenario: Scenario, wording: int, sample: int) -> CompletionRequest:
    message = {"role": "user", "content": scenario.wordings[wording]}
    return CompletionRequest((message,), scenario.id, sample, PURPOSE)


def _completion(scenario: Scenario, wording: int, sample: int) -> CompletionRequest:
    return CompletionRequest((), scenario.id, sample, PURPOSE, prompt=scenario.prefix(wording))


def _completion_chat(scenario: Scenario, wording: int, sample: int) -> CompletionRequest:
    messages = (
        {"role": "system", "content": CONTINUE},
        {"role": "user", "content": fence(scenario.prefix(wording))},
    )
    return CompletionRequest(messages, scenario.id, sample, PURPOSE)


_REQUESTS: Mapping[Mode, Callable[[Scenario, int, int], CompletionRequest]] = {
    "instruct": _instruct,
    "completion": _completion,
    "completion-chat": _completion_chat,
}
