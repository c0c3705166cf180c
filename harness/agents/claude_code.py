"""Claude Code: a native binary that speaks Anthropic's messages.

The repository's instructions to it (CLAUDE.md, settings, hooks) are left unread: an agent follows the
instruction alone. Some of its calls are about the conversation rather than in it; they count as all calls do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

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

SWITCHES = {
    "IS_SANDBOX": "1",  # it refuses to skip its questions as root otherwise
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    "CLAUDE_CODE_DISABLE_TERMINAL_TITLE": "1",
    "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
    "CLAUDE_CODE_DISABLE_WEB_FETCH": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_UPDATES": "1",
    # The gateway repeats calls: further tries here would only delay the end of an attempt.
    "CLAUDE_CODE_MAX_RETRIES": "3",
}
# Each kind of call has a model of its choice: all of them lead to the model that is measured.
MODELS = (
    "ANTHROPIC_MODEL",
    "ANTHROPIC_SMALL_FAST_MODEL",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
    "ANTHROPIC_DEFAULT_SONNET_MODEL",
    "ANTHROPIC_DEFAULT_OPUS_MODEL",
    "CLAUDE_CODE_SUBAGENT_MODEL",
)
CACHED = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def parse_claimed_usage(stream: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    last = [event for event in stream if event.get("type") == "result"][-1:]
    amounts = value_at(last, 0, "usage")
    return usage(
        calls=value_at(last, 0, "num_turns"),
        input_tokens=total([value_at(amounts, key) for key in CACHED]),
        output_tokens=value_at(amounts, "output_tokens"),
        usd=value_at(last, 0, "total_cost_usd"),
    )


class ClaudeCode:
    name = "claude-code"
    version = "2.1.332"
    recipe: Recipe = NodeRecipe(
        ("@anthropic-ai/claude-code@2.1.332",), lock=lock("claude-code.json")
    )
    behaves_by_model = True
    dialect: DialectName = "messages"
    takes_system = True
    tools = ("Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "Task", "TodoWrite", "Write")

    def launch(self, setup: LaunchSetup) -> Launch:
        surroundings = {
            **SWITCHES,
            **dict.fromkeys(MODELS, setup.model),
            "ANTHROPIC_BASE_URL": setup.address,
            "ANTHROPIC_API_KEY": setup.token,
            "API_TIMEOUT_MS": str(REQUEST_TIMEOUT_S * 1000),
            "CLAUDE_CONFIG_DIR": f"{setup.home}/.claude",
        }
        return Launch(
            argv=(
                program(setup, "claude"),
                "-p",
                *("--output-format", "stream-json"),
                "--verbose",
                "--dangerously-skip-permissions",
                *("--max-turns", str(setup.calls)),
                # Not the repository's settings, whose hooks are programs to run.
                *("--setting-sources", "user"),
                "--strict-mcp-config",
                "--disallowedTools=WebFetch,WebSearch",
                *((f"--tools={','.join(setup.tools)}",) if setup.tools else ()),
                *((f"--append-system-prompt={setup.system}",) if setup.system else ()),
            ),
            env=environment(setup, **surroundings),
            stdin=setup.prompt.encode(),
        )

    def report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        return telling(parse_claimed_usage, output, list(events(output)))


PROGRAM: AgentProgram = ClaudeCode()
