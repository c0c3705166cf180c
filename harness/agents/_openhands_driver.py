"""Runs a conversation of the OpenHands SDK without a terminal: `python -I driver.py SETTINGS.json`.

It is run by the toolbox's interpreter, inside the container, and imports nothing of the project.
SETTINGS is written by `harness/agents/openhands.py`; the token comes in `LLM_API_KEY` and is taken out of
the surroundings before a command of the model can see it. Each event goes to `events` as a line of JSON at
once, so that a killed agent leaves its steps; what it claims to have used goes to `usage`.

Exit status: 0 the agent ended by itself, 3 its limit ended it, 1 the model failed (a traceback).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

STOPPED_STATUS = 3


def make_agent(settings: dict[str, Any], token: str) -> Any:
    sdk = import_module("openhands.sdk")
    tools = import_module("openhands.tools.preset.default")
    condenser = import_module("openhands.sdk.context.condenser")
    secret = import_module("pydantic").SecretStr(token)
    llm = sdk.LLM(
        model=settings["model"],
        base_url=settings["base_url"],
        api_key=secret,
        usage_id="agent",
        temperature=0.0,
        # A model that it does not know is taken for one that reasons, and loses its temperature.
        capability_overrides={"supports_reasoning_effort": False, "supports_sampling_params": True},
        api_mode="chat",
        reasoning_effort=None,
        max_input_tokens=128_000,
        max_output_tokens=16_384,
        input_cost_per_token=0.0,
        output_cost_per_token=0.0,
        num_retries=2,
        timeout=settings["request_seconds"],
    )
    context = sdk.AgentContext(
        load_user_skills=False, load_public_skills=False, load_project_skills=False
    )
    return sdk.Agent(
        llm=llm,
        tools=[
            tool
            for tool in tools.get_default_tools(enable_browser=False)
            if settings["tools"] is None or tool.name in settings["tools"]
        ],
        agent_context=context,
        system_prompt_kwargs={"cli_mode": True},
        condenser=condenser.LLMSummarizingCondenser(
            llm=llm.model_copy(update={"usage_id": "condenser"}), **settings["condenser"]
        ),
    )


def recorder(path: Path) -> Callable[[Any], None]:
    def record(event: Any) -> None:
        # Opened for each event: a kill at any moment loses no step.
        with path.open("a", encoding="utf-8") as out:
            out.write(event.model_dump_json(exclude_none=True) + "\n")

    return record


def claim(conversation: Any) -> dict[str, Any]:
    metrics = conversation.conversation_stats.get_combined_metrics()
    tokens = metrics.accumulated_token_usage
    return {
        "calls": len(metrics.token_usages),
        "input_tokens": tokens.prompt_tokens if tokens else 0,
        "output_tokens": tokens.completion_tokens if tokens else 0,
        "usd": metrics.accumulated_cost,
        "status": str(conversation.state.execution_status.value),
    }


def main(path: str) -> int:
    settings = json.loads(Path(path).read_text("utf-8"))
    token = os.environ.pop("LLM_API_KEY")
    local = import_module("openhands.sdk.conversation.impl.local_conversation")
    conversation = local.LocalConversation(
        agent=make_agent(settings, token),
        workspace=settings["repository"],
        callbacks=[recorder(Path(settings["events"]))],
        max_iteration_per_run=settings["calls"],
        max_budget_per_run=settings["usd"],
        visualizer=None,
    )
    usage = Path(settings["usage"])
    try:
        conversation.send_message(Path(settings["prompt"]).read_text("utf-8"))
        conversation.run()
    finally:
        usage.write_text(json.dumps(claim(conversation)), "utf-8")
        conversation.close()
    status = json.loads(usage.read_text("utf-8"))["status"]
    print(f"ended: {status}")
    return 0 if status == "finished" else STOPPED_STATUS


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
