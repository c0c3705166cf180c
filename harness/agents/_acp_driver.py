"""Drives an agent by the Agent Client Protocol, for a single prompt: `python -I -S driver.py SETTINGS.json`.

It is run inside the container, by the toolbox's interpreter and without its packages: a toolbox of npm has
none of Python's. The agent is its child; JSON-RPC 2.0 goes over its standard input and output, a message a
line. (Protocol version 1, agentclientprotocol.com, schema 1.19.0.)

SETTINGS is written by `harness/agents/acp.py`: argv, cwd, prompt, updates, outcome. Each session update goes
to `updates` as a line of JSON at once, so that a killed agent leaves its steps; how it ended goes to
`outcome`. What the agent asks of an editor is answered here: permissions are granted, since the container is
the sandbox, and files are read and written as the agent itself could.

Exit status: 0 the agent ended its turn, 3 it ended for another reason, 1 it could not be driven.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

VERSION = 1
ENDED, STOPPED = "end_turn", 3
# Bytes of a message.
MAX_LINE_BYTES = 64 << 20
CLOSE_TIMEOUT_S = 5
# Codes of JSON-RPC, and the protocol's own for an agent that wants to be logged in to.
NO_METHOD, FAILED, NEEDS_LOGIN = -32601, -32603, -32000
# Kinds of options, the first that is offered is taken.
PERMISSIONS = ("allow_always", "allow_once")


class RequestRefused(Exception):
    """The agent answered a request by an error. code: of JSON-RPC."""

    def __init__(self, method: str, error: Any) -> None:
        error = error if isinstance(error, dict) else {}
        self.code = error.get("code")
        super().__init__(f"{method}: {error.get('message', 'no message')} ({self.code})")


class AgentGone(Exception):
    """The agent closed its output before it had answered."""


class Client:
    """The editor's side of a connection. update: is called with each session update."""

    def __init__(self, reader: IO[bytes], writer: IO[bytes], update: Callable[[Any], None]) -> None:
        self._reader, self._writer, self._update = reader, writer, update
        self._number = 0

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """The agent's answer; what it asks meanwhile is answered. Raises RequestRefused or AgentGone."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" in message:
                self._answer(message)
            elif message.get("id") == self._number:
                if "error" in message:
                    raise RequestRefused(method, message["error"])
                result = message.get("result")
                return result if isinstance(result, dict) else {}

    def _answer(self, message: dict[str, Any]) -> None:
        """Of a request; a notification has no id and is not answered."""
        method, params = message["method"], message.get("params")
        params = params if isinstance(params, dict) else {}
        if method == "session/update":
            self._update(params.get("update"))
        if "id" not in message:
            return
        handler = HANDLERS.get(method)
        try:
            if handler is None:
                error = {"code": NO_METHOD, "message": f"{method}: not here"}
                self._send({"id": message["id"], "error": error})
            else:
                self._send({"id": message["id"], "result": handler(params)})
        # A failed read is the agent's to handle, as an editor would report it.
        except (OSError, ValueError, TypeError, KeyError) as problem:
            self._send({"id": message["id"], "error": {"code": FAILED, "message": str(problem)}})

    def _send(self, message: dict[str, Any]) -> None:
        try:
            self._writer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self._writer.flush()
        except BrokenPipeError as error:
            raise AgentGone("it closed its input") from error

    def _receive(self) -> dict[str, Any]:
        """The next message; lines that are none go to the output, where people look for them."""
        while line := self._reader.readline(MAX_LINE_BYTES):
            try:
                message = json.loads(line)
            except ValueError:
                message = None
            if isinstance(message, dict):
                return message
            # Agents print to standard output before they speak the protocol.
            print(line[:1000].decode("utf-8", "replace").rstrip(), flush=True)
        raise AgentGone("it closed its output")


def give_permission(params: dict[str, Any]) -> dict[str, Any]:
    options = [each for each in params["options"] if isinstance(each, dict)]
    for kind in PERMISSIONS:
        for option in options:
            if option.get("kind") == kind:
                return {"outcome": {"outcome": "selected", "optionId": option["optionId"]}}
    return {"outcome": {"outcome": "cancelled"}}


def read_file(params: dict[str, Any]) -> dict[str, Any]:
    lines = Path(params["path"]).read_text("utf-8", "replace").splitlines(keepends=True)
    first = max(0, (params.get("line") or 1) - 1)
    limit = params.get("limit")
    return {"content": "".join(lines[first : None if limit is None else first + limit])}


def write_file(params: dict[str, Any]) -> dict[str, Any]:
    path = Path(params["path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(params["content"], "utf-8")
    return {}


HANDLERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "session/request_permission": give_permission,
    "fs/read_text_file": read_file,
    "fs/write_text_file": write_file,
}


def open_session(client: Client, cwd: str, methods: list[Any]) -> str:
    """Open a session and return its id; an agent that wants a login takes its key."""
    try:
        return str(client.request("session/new", cwd=cwd, mcpServers=[])["sessionId"])
    except RequestRefused as refused:
        ids = [str(each.get("id")) for each in methods if isinstance(each, dict)]
        if refused.code != NEEDS_LOGIN or not ids:
            raise
        by_key = [each for each in ids if "key" in each.lower()]
        client.request("authenticate", methodId=(by_key or ids)[0])
        return str(client.request("session/new", cwd=cwd, mcpServers=[])["sessionId"])


def converse(client: Client, settings: dict[str, Any], outcome: dict[str, Any]) -> None:
    """Hold a session of a single prompt; results go into the outcome as they come."""
    begun = client.request(
        "initialize",
        protocolVersion=VERSION,
        clientInfo={"name": "arena", "version": "1"},
        clientCapabilities={
            "fs": {"readTextFile": True, "writeTextFile": True},
            "terminal": False,
        },
    )
    outcome["protocol"], outcome["agent"] = begun.get("protocolVersion"), begun.get("agentInfo")
    if begun.get("protocolVersion") != VERSION:
        raise ValueError(f"it speaks version {begun.get('protocolVersion')} of the protocol")
    methods = begun.get("authMethods")
    session = open_session(client, settings["cwd"], methods if isinstance(methods, list) else [])
    text = Path(settings["prompt"]).read_text("utf-8")
    answer = client.request(
        "session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}]
    )
    outcome["stop_reason"], outcome["usage"] = answer.get("stopReason"), answer.get("usage")


def main(path: str) -> int:
    settings = json.loads(Path(path).read_text("utf-8"))
    outcome: dict[str, Any] = {}
    try:
        with Path(settings["updates"]).open("a", encoding="utf-8") as updates:
            drive(settings, updates, outcome)
    except (AgentGone, RequestRefused, OSError, ValueError, KeyError) as problem:
        outcome["error"] = f"{type(problem).__name__}: {problem}"
    Path(settings["outcome"]).write_text(json.dumps(outcome), "utf-8")
    print(f"ended: {outcome.get('error') or outcome.get('stop_reason')}")
    if "error" in outcome:
        return 1
    return 0 if outcome["stop_reason"] == ENDED else STOPPED


def drive(settings: dict[str, Any], updates: IO[str], outcome: dict[str, Any]) -> None:
    """Start the agent, converse, and end it. Raises OSError where it cannot be started."""

    def update(value: Any) -> None:
        updates.write(json.dumps({"at": round(time.time(), 3), "update": value}) + "\n")
        updates.flush()

    agent = subprocess.Popen(
        settings["argv"], cwd=settings["cwd"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert agent.stdin is not None and agent.stdout is not None  # noqa: S101 - pipes, as asked
    try:
        converse(Client(agent.stdout, agent.stdin, update), settings, outcome)
    finally:
        close(agent)


def close(agent: subprocess.Popen[bytes]) -> None:
    """End the agent: its input is closed, and what stays is ended with the sandbox's command."""
    assert agent.stdin is not None  # noqa: S101 - a pipe, as asked
    try:
        # The protocol has no message for the end: a closed input is how agents learn of it.
        agent.stdin.close()
        agent.wait(CLOSE_TIMEOUT_S)
    except (subprocess.TimeoutExpired, BrokenPipeError):
        agent.kill()
        agent.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
