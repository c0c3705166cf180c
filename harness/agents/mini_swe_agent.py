"""mini-swe-agent: a single tool, bash, each command in a new shell.

`-c` replaces its standard configuration, so that is named again, by a path that cannot be a file of the
repository: a bare `mini.yaml` is looked for there first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.agents._program import AgentProgram, AgentReport, Launch, LaunchSetup
from harness.agents._settings import (
    REQUEST_TIMEOUT_S,
    DialectName,
    dump_json,
    environment,
    lock,
    openai,
    parse_json,
    program,
    raw,
    telling,
    total,
    usage,
    value_at,
)
from harness.toolbox.recipe import Python, Recipe

STANDARD = "../config/mini.yaml"
TRAJECTORY = "trajectory.json"
COMMAND_TIMEOUT_S = 300
# The standard one writes JSON, whose escapes for <, > and & a model then copies into its edits.
OBSERVATION = """\
{%- if output.exception_info %}<exception>{{ output.exception_info }}</exception>
{% endif -%}
<returncode>{{ output.returncode }}</returncode>
{% if output.output | length < 10000 -%}
<output>
{{ output.output }}</output>
{%- else -%}
<output_head>
{{ output.output[:5000] }}
</output_head>
<elided_chars>{{ output.output | length - 10000 }}</elided_chars>
<output_tail>
{{ output.output[-5000:] }}
</output_tail>
{%- endif %}"""


def overlay(setup: LaunchSetup) -> dict[str, Any]:
    return {
        "run": {"task": setup.prompt},
        "agent": {
            "mode": "yolo",
            "step_limit": setup.calls,
            "cost_limit": setup.usd,
            "wall_time_limit_seconds": int(setup.seconds),
            **({"system_template": raw(setup.system)} if setup.system else {}),
        },
        "environment": {
            "environment_class": "local",
            "cwd": setup.repository,
            "timeout": COMMAND_TIMEOUT_S,
            # Commands of the model must not see the token.
            "env": {"OPENAI_API_KEY": ""},
        },
        "model": {
            "model_class": "litellm",
            # It knows no price for the alias, and would end at its first call.
            "cost_tracking": "ignore_errors",
            "observation_template": OBSERVATION,
            "model_kwargs": {"temperature": 0, "timeout": REQUEST_TIMEOUT_S},
        },
    }


def parse_claimed_usage(trajectory: Any) -> dict[str, Any]:
    messages = value_at(trajectory, "messages")
    tokens = [
        value_at(message, "extra", "response", "usage")
        for message in (messages if isinstance(messages, list) else [])
    ]
    return usage(
        calls=value_at(trajectory, "info", "model_stats", "api_calls"),
        usd=value_at(trajectory, "info", "model_stats", "instance_cost"),
        input_tokens=total([value_at(each, "prompt_tokens") for each in tokens]),
        output_tokens=total([value_at(each, "completion_tokens") for each in tokens]),
    )


class MiniSweAgent:
    name = "mini-swe-agent"
    version = "2.4.6"
    # Later LiteLLMs fail at the first tool call: they import `mcp`, which they do not bring.
    recipe: Recipe = Python(
        ("mini-swe-agent==2.4.6", "litellm==1.84.1"),
        lock=lock("mini-swe-agent.txt"),
        without=("datasets", "hf-xet"),
    )
    dialect: DialectName = "chat"
    takes_system = True

    def launch(self, setup: LaunchSetup) -> Launch:
        settings_folder = f"{setup.home}/.mini"
        return Launch(
            argv=(
                program(setup, "mini"),
                *("-c", STANDARD),
                *("-c", f"{setup.home}/overlay.yaml"),
                *("-m", f"openai/{setup.model}"),
                "-y",
                "--exit-immediately",
                *("-o", f"{setup.home}/{TRAJECTORY}"),
            ),
            env=environment(
                setup,
                **openai(setup),
                MSWEA_CONFIGURED="true",
                MSWEA_SILENT_STARTUP="1",
                MSWEA_GLOBAL_CONFIG_DIR=settings_folder,
                MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT="4",
            ),
            files={"overlay.yaml": dump_json(overlay(setup))},
            collect=(TRAJECTORY,),
        )

    def report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        trajectory = files.get(TRAJECTORY, b"")
        return telling(parse_claimed_usage, trajectory, parse_json(trajectory))


PROGRAM: AgentProgram = MiniSweAgent()
