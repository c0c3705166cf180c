"""OpenHands' command line, headless: the same agent as a person would start it.

It has no option for a cap on iterations or money, and ends with 0 also when the model failed.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.agents._program import AgentProgram, AgentReport, Launch, LaunchSetup
from harness.agents._settings import DialectName, environment, lock, program, telling
from harness.toolbox.recipe import Python, Recipe


class OpenHandsCli:
    name = "openhands-cli"
    version = "1.16.0"
    recipe: Recipe = Python(
        ("openhands==1.16.0", "litellm==1.84.1"),
        ("3.12",),
        lock=lock("openhands-cli.txt"),
        without=("browser-use", "boto3", "hf-xet"),
    )
    dialect: DialectName = "chat"

    def launch(self, setup: LaunchSetup) -> Launch:
        return Launch(
            argv=(
                program(setup, "openhands"),
                # Without a terminal nobody could answer its questions.
                "--headless",
                "--json",
                "--override-with-envs",
                *("-f", f"{setup.home}/prompt.md"),
            ),
            env=environment(
                setup,
                LLM_API_KEY=setup.token,
                LLM_BASE_URL=f"{setup.address}/v1",
                LLM_MODEL=f"openai/{setup.model}",
                OPENHANDS_SUPPRESS_BANNER="1",
                OTEL_SDK_DISABLED="true",
            ),
            files={"prompt.md": setup.prompt.encode()},
        )

    def report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        """It claims nothing of its usage."""
        return telling(lambda _: {}, output, output or None)


PROGRAM: AgentProgram = OpenHandsCli()
