"""An agent of the protocol for tests of the driver: it plays what `SCRIPT` (JSON) names, and logs what it got.

    python acp_agent.py SCRIPT LOG

SCRIPT: "requests", which it sends to the client during the prompt; "updates"; "answers", by method, in place of
the usual ones; "login": whether a session needs one; "noise": a line that is no message; "gone": the method at
which it leaves.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SCRIPT, LOG = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
USUAL = {
    "initialize": {
        "protocolVersion": 1,
        "agentInfo": {"name": "played", "version": "7"},
        "authMethods": [{"id": "browser"}, {"id": "api-key"}],
    },
    "authenticate": {},
    "session/new": {"sessionId": "s-1"},
    "session/prompt": {"stopReason": "end_turn", "usage": {"inputTokens": 5, "outputTokens": 2}},
}


def send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def log(message: Any) -> None:
    with LOG.open("a") as out:
        out.write(json.dumps(message) + "\n")


def main() -> None:
    logged_in = not SCRIPT.get("login")
    if "noise" in SCRIPT:
        print(SCRIPT["noise"], flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        log(message)
        method = message.get("method")
        if method is None:
            continue
        if method == SCRIPT.get("gone"):
            return
        if method == "authenticate":
            logged_in = True
        if method == "session/new" and not logged_in:
            send(id=message["id"], error={"code": -32000, "message": "Authentication required"})
            continue
        if method == "session/prompt":
            play()
        answer = SCRIPT.get("answers", {}).get(method, {"result": USUAL.get(method)})
        send(id=message["id"], **answer)


def play() -> None:
    """Send an answer to nothing, the updates, and each request, whose answer is logged before the next."""
    send(id="stray", result={"stopReason": "refusal"})
    for update in SCRIPT.get("updates", ()):
        send(method="session/update", params={"sessionId": "s-1", "update": update})
    for number, (method, params) in enumerate(SCRIPT.get("requests", ())):
        send(id=f"r{number}", method=method, params=params)
        log(json.loads(sys.stdin.readline()))


main()
