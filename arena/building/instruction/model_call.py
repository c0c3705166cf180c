"""A completion through LiteLLM: any provider that it supports, or a private endpoint.

Keys come from the environment, by the names that LiteLLM documents for each provider. Nothing else is
contacted: prices are the ones that LiteLLM ships, and it reports to nobody.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence
from typing import Any

from arena.building.instruction.loop import Ask, InstructionReply, InstructionUsage
from arena.building.instruction.prompt import Message

TIMEOUT = 180.0
TRIES = 4
MAX_TOKENS = 4096
LONGEST_WAIT = 30.0
NO_KEY = "none"
# Statuses by which a provider says that the request itself is wrong: no repetition changes that.
_FINAL = frozenset({400, 401, 402, 403, 404, 405, 410, 413, 422})
_SECRETS = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")


class ModelFault(Exception):
    """No answer came from the model; the message is a line. It says nothing about the task."""


class PassingFault(ModelFault):
    """A fault that may be gone when the request is repeated."""


def litellm_ask(
    model: str,
    api_base: str | None = None,
    timeout: float = TIMEOUT,
    tries: int = TRIES,
    longest_wait: float = LONGEST_WAIT,
) -> Ask:
    """A function that asks `model` at temperature 0, up to `tries` times where the fault may pass.

    api_base: the address of an endpoint; without a key in the environment no key is sent.
    timeout: seconds for a whole answer. The function raises ModelFault when no answer comes.
    """
    from tenacity import Retrying, retry_if_exception_type, stop_after_attempt
    from tenacity.wait import wait_random_exponential

    litellm = _quiet_litellm()
    options: dict[str, Any] = {
        "model": model,
        "temperature": 0,
        "max_tokens": MAX_TOKENS,
        "timeout": timeout,
        # LiteLLM and the client below it would each retry by themselves and multiply the tries here.
        "num_retries": 0,
        "max_retries": 0,
        "drop_params": True,
    }
    if api_base:
        options["api_base"] = api_base
        if not litellm.validate_environment(model)["keys_in_environment"]:
            # The OpenAI client refuses to start without any key, even for an endpoint that asks for none.
            options["api_key"] = NO_KEY

    def ask(messages: Sequence[Message]) -> InstructionReply:
        again = Retrying(
            stop=stop_after_attempt(tries),
            wait=wait_random_exponential(multiplier=longest_wait / 30, max=longest_wait),
            retry=retry_if_exception_type(PassingFault),
            reraise=True,
        )
        return again(_answer, litellm, {**options, "messages": list(messages)}, timeout)

    return ask


def _quiet_litellm() -> Any:
    """LiteLLM, imported late (it takes seconds), without access to the network or the terminal."""
    # Set before the import, at which LiteLLM would fetch its price table over the network.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    litellm.suppress_debug_info = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "openai"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


def _answer(litellm: Any, options: dict[str, Any], timeout: float) -> InstructionReply:
    """An answer. Raises PassingFault or ModelFault."""
    from openai import OpenAIError

    try:
        response = _within(timeout, lambda: litellm.completion(**options))
        return _reply(response)
    except OpenAIError as error:
        status = getattr(error, "status_code", None)
        kind = ModelFault if status in _FINAL else PassingFault
        raise kind(_message_of(options["model"], error)) from error
    except (ValueError, TypeError, LookupError, AttributeError, OSError) as error:
        # what LiteLLM does with an answer that is no answer
        raise PassingFault(_message_of(options["model"], error)) from error


def _within(timeout: float, work: Any) -> Any:
    """Return or raise what `work` does. The provider's timeout applies to each read only.

    Raises TimeoutError (an OSError) when it takes longer; the thread is then left behind, as a daemon.
    """
    done: list[Any] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True, name="model")
    thread.start()
    thread.join(timeout + 1)
    if failed:
        raise failed[0]
    if not done:
        raise TimeoutError(f"no whole answer within {timeout:g} s")
    return done[0]


def _reply(response: Any) -> InstructionReply:
    choice = response.choices[0]
    text = choice.message.content
    used = getattr(response, "usage", None)
    usage = InstructionUsage(
        1, getattr(used, "prompt_tokens", None) or 0, getattr(used, "completion_tokens", None) or 0
    )
    if text is not None and not isinstance(text, str):
        raise TypeError("the answer's content is no text")
    return InstructionReply(text or "", choice.finish_reason == "length", usage)


def _message_of(model: str, error: Exception) -> str:
    """A line about a fault, without the keys that providers like to repeat."""
    text = " ".join(str(error).split())
    # Some providers quote the key in the text of an error; the text ends in logs and in the funnel.
    for name, value in os.environ.items():
        if name.endswith(_SECRETS) and len(value) >= 8:
            text = text.replace(value, "***")
    return f"{model}: {type(error).__name__}: {text[:300]}"
