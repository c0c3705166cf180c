"""OpenHands through its SDK: terminal, file editor and task tracker, by a driver of this project.

The packages have no headless program any more (`openhands-ai` 1.x starts a server); the paper used 0.50.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.agents._program import AgentProgram, AgentReport, Launch, LaunchSetup
from harness.agents._settings import (
    REQUEST_TIMEOUT_S,
    DialectName,
    dump_json,
    environment,
    lock,
    parse_json,
    program,
    telling,
    usage,
    value_at,
)
from harness.toolbox.recipe import Python, Recipe

DRIVER = Path(__file__).with_name("_openhands_driver.py")
EVENTS, USAGE = "events.jsonl", "usage.json"
# Events from which its history is summed up, and how many of the first are kept: its own defaults.
CONDENSER = {"max_size": 80, "keep_first": 4}
CLAIMED = ("calls", "input_tokens", "output_tokens", "usd")


def settings(setup: LaunchSetup) -> dict[str, Any]:
    return {
        "model": f"openai/{setup.model}",
        "base_url": f"{setup.address}/v1",
        "repository": setup.repository,
        "prompt": f"{setup.home}/prompt.md",
        "calls": setup.calls,
        "usd": setup.usd,
        "tools": setup.tools,
        "condenser": CONDENSER,
        "request_seconds": REQUEST_TIMEOUT_S,
        "events": f"{setup.home}/{EVENTS}",
        "usage": f"{setup.home}/{USAGE}",
    }


def parse_claimed_usage(claim: Any) -> dict[str, Any]:
    return usage(**{key: value_at(claim, key) for key in CLAIMED})


class OpenHands:
    name = "openhands"
    version = "1.58.2"
    recipe: Recipe = Python(
        ("openhands-sdk==1.58.2", "openhands-tools==1.58.2", "litellm==1.93.0"),
        ("3.12", "3.13"),
        lock=lock("openhands.txt"),
        # Never imported here, and the larger part of what would be installed.
        without=("browser-use", "boto3", "hf-xet"),
    )
    dialect: DialectName = "chat"
    tools = ("terminal", "file_editor", "task_tracker")

    def launch(self, setup: LaunchSetup) -> Launch:
        home = setup.home
        return Launch(
            argv=(program(setup, "python"), "-I", f"{home}/driver.py", f"{home}/settings.json"),
            env=environment(
                setup,
                LLM_API_KEY=setup.token,
                OPENHANDS_SUPPRESS_BANNER="1",
                OTEL_SDK_DISABLED="true",
            ),
            files={
                "driver.py": DRIVER.read_bytes(),
                "settings.json": dump_json(settings(setup)),
                "prompt.md": setup.prompt.encode(),
            },
            collect=(EVENTS, USAGE),
            facts={"condenser": CONDENSER},
        )

    def report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        return telling(
            parse_claimed_usage, files.get(EVENTS, b""), parse_json(files.get(USAGE, b""))
        )


PROGRAM: AgentProgram = OpenHands()
