"""Aider: no shell and no loop; an answer of edit blocks, and a few more after a failure to apply.

It gets no list of files: it picks them from its map of the repository, and with `--yes-always` adds those
that the model names. It knows no cap on calls or money.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from harness.agents._program import AgentProgram, AgentReport, Launch, LaunchSetup
from harness.agents._settings import (
    MAX_TRAJECTORY_BYTES,
    REQUEST_TIMEOUT_S,
    DialectName,
    dump_json,
    environment,
    lock,
    openai,
    program,
    telling,
    total,
    usage,
)
from harness.toolbox.recipe import Python, Recipe

HISTORY = "history.md"
# Bounded repeats, since the history holds whatever the model wrote.
SENT = re.compile(r"Tokens: ([\d.,]{1,20})(k|M)? sent,.{0,200}?([\d.,]{1,20})(k|M)? received")
UNITS = {"": 1, "k": 1_000, "M": 1_000_000}
SWITCHES = (
    # Nobody is there to answer its questions.
    "--yes-always",
    "--no-stream",
    # The work tree is compared with PVIC: commits of its choice would only hide what it does.
    "--no-auto-commits",
    "--no-dirty-commits",
    "--no-gitignore",
    "--no-analytics",
    "--analytics-disable",
    "--no-check-update",
    "--no-show-release-notes",
    "--no-show-model-warnings",
    "--no-detect-urls",
    "--no-suggest-shell-commands",
    "--no-auto-lint",
    "--no-pretty",
    "--no-fancy-input",
    "--disable-playwright",
)


def model_settings(setup: LaunchSetup) -> list[dict[str, Any]]:
    """It would request whole files of an unlisted model, and at a different temperature."""
    name = f"openai/{setup.model}"
    return [
        {
            "name": name,
            "edit_format": "diff",
            "weak_model_name": name,
            "use_repo_map": True,
            "use_temperature": 0,
            "streaming": False,
            "extra_params": {"timeout": REQUEST_TIMEOUT_S},
        }
    ]


def metadata(setup: LaunchSetup) -> dict[str, Any]:
    """Sizes, so that it need not look the model up. It bills nothing: what counts is metered by us."""
    sizes = {"max_input_tokens": 128_000, "max_output_tokens": 16_384, "max_tokens": 16_384}
    prices = {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0}
    return {
        f"openai/{setup.model}": {**sizes, **prices, "litellm_provider": "openai", "mode": "chat"}
    }


def amount(digits: str, unit: str) -> float | None:
    try:
        return float(digits.replace(",", "")) * UNITS[unit]
    except ValueError:
        return None


def parse_claimed_usage(text: str) -> dict[str, Any]:
    """From lines such as `Tokens: 2.3k sent, 87 received.`, which are rounded."""
    rows = SENT.findall(text)
    return usage(
        calls=len(rows) or None,
        input_tokens=total([amount(sent, unit) for sent, unit, _, _ in rows]),
        output_tokens=total([amount(got, unit) for _, _, got, unit in rows]),
    )


class Aider:
    name = "aider"
    version = "0.86.2"
    recipe: Recipe = Python(("aider-chat==0.86.2",), lock=lock("aider.txt"), without=("hf-xet",))
    dialect: DialectName = "chat"

    def launch(self, setup: LaunchSetup) -> Launch:
        name, home = f"openai/{setup.model}", setup.home
        return Launch(
            argv=(
                program(setup, "aider"),
                *("--model", name),
                *("--weak-model", name),
                *("--edit-format", "diff"),
                *("--model-settings-file", f"{home}/models.yml"),
                *("--model-metadata-file", f"{home}/models.json"),
                *("--message-file", f"{home}/prompt.md"),
                *("--config", f"{home}/aider.yml"),
                # A `.env` of the repository could set keys and endpoints.
                *("--env-file", f"{home}/none.env"),
                *("--chat-history-file", f"{home}/{HISTORY}"),
                *("--input-history-file", f"{home}/input.history"),
                *("--map-tokens", "1024"),
                *SWITCHES,
            ),
            env=environment(setup, **openai(setup)),
            files={
                "models.yml": dump_json(model_settings(setup)),
                "models.json": dump_json(metadata(setup)),
                "prompt.md": setup.prompt.encode(),
                "aider.yml": b"{}\n",
                "none.env": b"",
            },
            collect=(HISTORY,),
            needs=("git",),
            droppings=(".aider*",),
        )

    def report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        history = files.get(HISTORY, output)
        return telling(
            parse_claimed_usage, history, history[:MAX_TRAJECTORY_BYTES].decode("utf-8", "replace")
        )


PROGRAM: AgentProgram = Aider()
