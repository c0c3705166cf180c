"""opencode: a native binary that speaks chat completions to a provider declared for it.

It looks up models, shares, updates, and fetches language servers unless switched off; its limit is on
steps, money it leaves to us.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from harness.agents._program import AgentProgram, AgentReport, Launch, LaunchSetup
from harness.agents._settings import (
    REQUEST_TIMEOUT_S,
    DialectName,
    dump_json,
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
SWITCHES = {
    "OPENCODE_DISABLE_AUTOUPDATE": "true",
    "OPENCODE_DISABLE_CLAUDE_CODE": "true",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "true",
    "OPENCODE_DISABLE_EXTERNAL_SKILLS": "true",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "true",
    "OPENCODE_DISABLE_MODELS_FETCH": "true",
    "OPENCODE_DISABLE_SHARE": "true",
    # A repository's own configuration could name another model or a program to start.
    "OPENCODE_DISABLE_PROJECT_CONFIG": "true",
}


def settings(setup: LaunchSetup) -> dict[str, Any]:
    model = {
        "name": setup.model,
        "temperature": True,
        "tool_call": True,
        "limit": {"context": 128_000, "output": 16_384},
    }
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "arena",
        "options": {
            "baseURL": f"{setup.address}/v1",
            "apiKey": f"{{env:{KEY}}}",
            "timeout": REQUEST_TIMEOUT_S * 1000,
        },
        "models": {setup.model: model},
    }
    return {
        "model": f"arena/{setup.model}",
        # It titles conversations with a second model, which the gateway does not have.
        "small_model": f"arena/{setup.model}",
        "provider": {"arena": provider},
        "enabled_providers": ["arena"],
        "autoupdate": False,
        "share": "disabled",
        # Its snapshots are commits in a repository of its data folder, and of no use here.
        "snapshot": False,
        "lsp": False,
        "formatter": False,
        "permission": {"webfetch": "deny", "websearch": "deny"},
        "tools": {"webfetch": False, "websearch": False, **_disabled_tools(setup)},
        "agent": {"build": {"temperature": 0, "steps": setup.calls}},
    }


def _disabled_tools(setup: LaunchSetup) -> dict[str, bool]:
    chosen = setup.tools or OpenCode.tools
    return {name: False for name in OpenCode.tools if name not in chosen}


def parse_claimed_usage(stream: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    steps = [value_at(event, "part") for event in stream if event.get("type") == "step_finish"]
    return usage(
        calls=len(steps) or None,
        input_tokens=total([value_at(step, "tokens", "input") for step in steps]),
        output_tokens=total([value_at(step, "tokens", "output") for step in steps]),
        usd=total([value_at(step, "cost") for step in steps]),
    )


class OpenCode:
    name = "opencode"
    version = "1.18.33"
    recipe: Recipe = NodeRecipe(("opencode-ai@1.18.33",), lock=lock("opencode.json"))
    dialect: DialectName = "chat"
    tools = ("bash", "edit", "glob", "grep", "read", "task", "todowrite", "write")

    def launch(self, setup: LaunchSetup) -> Launch:
        return Launch(
            argv=(
                program(setup, "opencode"),
                "run",
                *("--format", "json"),
                "--auto",
                "--pure",
                *("--title", "task"),
                *("--dir", setup.repository),
                *("-m", f"arena/{setup.model}"),
            ),
            env=environment(
                setup,
                **SWITCHES,
                OPENCODE_CONFIG=f"{setup.home}/opencode.json",
                **{KEY: setup.token},
            ),
            files={"opencode.json": dump_json(settings(setup))},
            stdin=setup.prompt.encode(),
        )

    def report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        return telling(parse_claimed_usage, output, list(events(output)))


PROGRAM: AgentProgram = OpenCode()
