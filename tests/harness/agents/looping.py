"""An agent in a few lines: asks the model, runs what it wants run in a shell, until it wants nothing more."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

from harness.agents._program import AgentReport, Launch, LaunchSetup
from harness.toolbox.recipe import Python, Recipe

CODE = r"""
import json, os, subprocess, sys, urllib.error, urllib.request
messages = [{"role": "user", "content": open(sys.argv[1]).read()}]
tool = {"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}
said = []
while True:
    body = {"model": os.environ["MODEL"], "messages": messages, "tools": [tool], "temperature": 1}
    request = urllib.request.Request(
        os.environ["ADDRESS"] + "/v1/chat/completions",
        json.dumps(body).encode(),
        {"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": "application/json"},
    )
    try:
        answer = json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as error:
        print(error.code, error.read().decode())
        sys.exit(7)
    message = answer["choices"][0]["message"]
    messages.append(message)
    if not message.get("tool_calls"):
        break
    for call in message["tool_calls"]:
        line = json.loads(call["function"]["arguments"])["command"]
        done = subprocess.run(line, shell=True, capture_output=True, text=True)
        output = done.stdout + done.stderr
        said.append(output)
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": output})
    with open(os.path.join(os.environ["HOME"], "said.json"), "w") as file:
        json.dump(said, file)
"""


class Looping:
    """Believes nothing of its own caps: it stops when it is told to."""

    name, version = "looping", "1.0"
    dialect: Literal["chat", "responses", "messages"] = "chat"

    def __init__(self, packages: tuple[str, ...]) -> None:
        self.recipe: Recipe = Python(packages, ("3.11", "3.12", "3.13"))

    def launch(self, setup: LaunchSetup) -> Launch:
        home = setup.home
        return Launch(
            argv=(str(setup.toolbox / "bin/python"), "-I", f"{home}/agent.py", f"{home}/prompt"),
            env={
                "HOME": home,
                "ADDRESS": setup.address,
                "TOKEN": setup.token,
                "MODEL": setup.model,
            },
            files={"agent.py": CODE.encode(), "prompt": setup.prompt.encode()},
            collect=("said.json",),
        )

    def report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        return AgentReport({"calls": 1}, files.get("said.json", b""))


def script(*commands: str, then: str = "end") -> str:
    """A script in which the model has each command run, one a turn."""
    turns = [
        f"[[turns]]\ntext = 'so'\n[[turns.tools]]\nname = 'bash'\n"
        f"arguments = {{ command = {json.dumps(command)} }}\n"
        for command in commands
    ]
    return f"then = '{then}'\n" + "\n".join(turns)
