"""SWE-agent, from its source release: the name on the package index is a placeholder.

Its standard configuration stays where it counts (bash, its editor, a review before the submission), and
what does not fit is put right: it speaks of a Python repository, forbids `make` and `gdb`, and runs pip.
It writes below `/root`, which is handed over to it, and always ends with 0.
"""

from __future__ import annotations

import shlex
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
    openai,
    parse_json,
    program,
    raw,
    telling,
    usage,
    value_at,
)
from harness.toolbox.recipe import Python, Recipe, Source

DRIVER = Path(__file__).with_name("_swe_agent_driver.py")
# Folder of the toolbox where the source tree lies, with its `config` and `tools`.
SOURCE = "source"
TASK = "task"
TRAJECTORY = f"out/{TASK}/{TASK}.traj"
COMMAND_TIMEOUT_S = 300
BUNDLES = ("registry", "edit_anthropic", "review_on_submit_m")
INTERACTIVE = ("vim", "vi", "emacs", "nano", "nohup", "less", "tail -f")
ALONE = ("python", "python3", "bash", "sh", "/bin/bash", "/bin/sh", "su", "gdb", *INTERACTIVE)
REVIEW = """\
Look at your change once more before it is final. Undo what does not belong to it, remove files that you made
only to try something, and run your checks again if you edited anything since. Then submit a second time.

<diff>
{{diff}}
</diff>"""


def tools(setup: LaunchSetup) -> dict[str, Any]:
    unwanted = set(SweAgent.tools) - set(setup.tools or SweAgent.tools)
    bundles = [name for name in BUNDLES if name not in unwanted]
    return {
        "bundles": [{"path": f"{setup.home}/tools/{name}"} for name in bundles],
        "registry_variables": {"USE_FILEMAP": "false", "SUBMIT_REVIEW_MESSAGES": [REVIEW]},
        # The token is taken out of what the model's commands see; pagers would wait for a key.
        "env_variables": {"OPENAI_API_KEY": "", "PAGER": "cat", "GIT_PAGER": "cat"},
        "enable_bash_tool": "bash" not in unwanted,
        "parse_function": {"type": "function_calling"},
        "filter": {"blocklist": list(INTERACTIVE), "blocklist_standalone": list(ALONE)},
        "execution_timeout": COMMAND_TIMEOUT_S,
        "total_execution_timeout": int(setup.seconds),
    }


def model(setup: LaunchSetup) -> dict[str, Any]:
    return {
        "name": f"openai/{setup.model}",
        "temperature": 0.0,
        "per_instance_call_limit": setup.calls,
        # It has no price for the alias, and refuses a limit that it cannot work out: money is capped by us.
        "per_instance_cost_limit": 0,
        "total_cost_limit": 0,
        # 0: no limit that it would guess; the model's context is the provider's to judge.
        "max_input_tokens": 0,
        "retry": {"retries": 3, "min_wait": 2, "max_wait": 10},
        "completion_kwargs": {"timeout": REQUEST_TIMEOUT_S},
    }


def configuration(setup: LaunchSetup) -> dict[str, Any]:
    templates = {
        "system_template": raw(setup.system)
        or f"You work on the repository in {setup.repository} through the tools given.",
        "instance_template": "{{problem_statement}}",
        "next_step_template": "OBSERVATION:\n{{observation}}",
        "next_step_no_output_template": "The command ended well and printed nothing.",
    }
    # Told of a repository, it cleans that first, of what the image has built too: it is only led there.
    enter = f"cd {shlex.quote(setup.repository)} && export ROOT=$(pwd -P)"
    return {
        "agent": {"templates": templates, "tools": tools(setup), "model": model(setup)},
        "env": {"deployment": {"type": "local"}, "post_startup_commands": [enter]},
        "problem_statement": {
            "type": "text_file",
            "path": f"{setup.home}/prompt.md",
            "id": TASK,
        },
        "output_dir": f"{setup.home}/out",
    }


def parse_claimed_usage(trajectory: Any) -> dict[str, Any]:
    """Estimates of its tokenizer, off by far; its cost is zero for an alias."""
    stats = value_at(trajectory, "info", "model_stats")
    return usage(
        calls=value_at(stats, "api_calls"),
        input_tokens=value_at(stats, "tokens_sent"),
        output_tokens=value_at(stats, "tokens_received"),
        usd=value_at(stats, "instance_cost"),
    )


class SweAgent:
    name = "swe-agent"
    version = "1.1.0"
    recipe: Recipe = Python(
        ("litellm==1.84.1", "swe-rex==1.4.0", "setuptools==80.9.0"),
        source=Source(
            "SWE-agent 1.1.0 (github.com/SWE-agent/SWE-agent, tag v1.1.0): a folder, an archive or a clone",
            "v1.1.0",
            "sweagent",
            ("pyproject.toml", "README.md", "LICENSE", "sweagent", "config", "tools"),
        ),
        lock=lock("swe-agent.txt"),
        without=("datasets", "pandas", "hf-xet"),
    )
    dialect: DialectName = "chat"
    takes_system = True
    tools = ("bash", "edit_anthropic")

    def launch(self, setup: LaunchSetup) -> Launch:
        home, source = setup.home, setup.toolbox / SOURCE
        return Launch(
            argv=(
                *(program(setup, "python"), "-I", f"{home}/driver.py"),
                *(str(source / "tools"), f"{home}/tools"),
                *(program(setup, "sweagent"), "run", "--config", f"{home}/config.yaml"),
            ),
            env=environment(
                setup,
                **openai(setup),
                SWE_AGENT_CONFIG_DIR=str(source / "config"),
                SWE_AGENT_TOOLS_DIR=str(source / "tools"),
                SWE_AGENT_TRAJECTORY_DIR=home,
                SWE_AGENT_CONFIG_ROOT=home,
                # it imports GitPython, which ends where there is no git, though it is not used
                GIT_PYTHON_REFRESH="quiet",
            ),
            files={
                "driver.py": DRIVER.read_bytes(),
                "config.yaml": dump_json(configuration(setup)),
                "prompt.md": setup.prompt.encode(),
            },
            collect=(TRAJECTORY,),
            # Its tools and state have fixed paths there, where an image's user may not write.
            private=("/root",),
            needs=("bash", "git"),
        )

    def report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        trajectory = files.get(TRAJECTORY, b"")
        return telling(parse_claimed_usage, trajectory, parse_json(trajectory))


PROGRAM: AgentProgram = SweAgent()
