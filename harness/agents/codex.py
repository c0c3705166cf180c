"""Codex CLI: a native binary that speaks OpenAI's responses.

Its shell sandbox needs user namespaces, which a sealed container has not: it is off, the container is
the sandbox. It knows no cap on calls or money.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import tomli_w

from harness.agents._program import AgentProgram, AgentReport, Launch, LaunchSetup
from harness.agents._settings import (
    REQUEST_TIMEOUT_S,
    DialectName,
    environment,
    events,
    lock,
    program,
    telling,
    total,
    usage,
    value_at,
)
from harness.toolbox.recipe import NodeRecipe, Recipe

KEY = "MODEL_TOKEN"
# Features that reach out of the container, or change the form of its requests.
OFF = (
    "apps",
    "browser_use",
    "computer_use",
    "enable_request_compression",
    "image_generation",
    "plugins",
    "unbounded_connection_retries",
)


def settings(setup: LaunchSetup) -> dict[str, Any]:
    provider = {
        "name": "arena",
        "base_url": f"{setup.address}/v1",
        "env_key": KEY,
        "wire_api": "responses",
        # The gateway repeats calls: further tries here would only delay the end of an attempt.
        "request_max_retries": 2,
        "stream_max_retries": 2,
        # Its default is shorter than a model that thinks may take; the gateway's patience decides.
        "stream_idle_timeout_ms": REQUEST_TIMEOUT_S * 1000,
    }
    return {
        "model": setup.model,
        "model_provider": "arena",
        "approval_policy": "never",
        "sandbox_mode": "danger-full-access",
        "web_search": "disabled",
        "check_for_update_on_startup": False,
        "analytics": {"enabled": False},
        "feedback": {"enabled": False},
        "history": {"persistence": "none"},
        "otel": {"exporter": "none"},
        "features": dict.fromkeys(OFF, False),
        # The token must not be visible to the commands that the model runs.
        "shell_environment_policy": {"exclude": [KEY]},
        "model_providers": {"arena": provider},
    }


def parse_claimed_usage(stream: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    turns = [value_at(event, "usage") for event in stream if event.get("type") == "turn.completed"]
    return usage(
        input_tokens=total([value_at(turn, "input_tokens") for turn in turns]),
        output_tokens=total([value_at(turn, "output_tokens") for turn in turns]),
    )


class Codex:
    name = "codex"
    version = "0.171.0"
    recipe: Recipe = NodeRecipe(("@openai/codex@0.171.0",), lock=lock("codex.json"))
    behaves_by_model = True
    dialect: DialectName = "responses"

    def launch(self, setup: LaunchSetup) -> Launch:
        return Launch(
            argv=(
                program(setup, "codex"),
                "exec",
                "--json",
                "--skip-git-repo-check",
                "--dangerously-bypass-approvals-and-sandbox",
                *("-C", setup.repository),
                "-",
            ),
            env=environment(setup, CODEX_HOME=f"{setup.home}/.codex", **{KEY: setup.token}),
            files={".codex/config.toml": tomli_w.dumps(settings(setup)).encode()},
            stdin=setup.prompt.encode(),
        )

    def report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        return telling(parse_claimed_usage, output, list(events(output)))


PROGRAM: AgentProgram = Codex()
