"""What the files of the real agents share: surroundings without network, and reading what was left.

Everything that an agent leaves is hostile: it is cut before it is parsed, and what is no number of tokens
is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from harness.agents._program import AgentReport, LaunchSetup

DialectName = Literal["chat", "responses", "messages"]

LOCKS = Path(__file__).with_name("locks")
MIB = 1 << 20
# Bytes of a trajectory that are kept.
MAX_TRAJECTORY_BYTES = 32 * MIB
# The container has no network: each library that looks for updates or reports usage would wait for it.
SURROUNDINGS: Mapping[str, str] = {
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    # The repository belongs to another user than the one who runs the agent.
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
    "GIT_TERMINAL_PROMPT": "0",
    # The order of Python's sets would differ from run to run, and with it what a model is asked.
    "PYTHONHASHSEED": "0",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "TERM": "dumb",
}
# Amounts from here on are no claims.
MAX_CLAIMED = 10**15
# SWE-agent and mini-swe-agent read their settings as YAML, which forbids these characters bare.
NOT_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
# How long one answer may take before an agent gives it up: as long as the gateway waits for a whole one.
REQUEST_TIMEOUT_S = 1800


def lock(name: str) -> str:
    """The path of a lock that `scripts/agent_locks.py` wrote."""
    return str(LOCKS / name)


def environment(setup: LaunchSetup, **more: str) -> dict[str, str]:
    """The environment of every agent, with the variables of this agent added."""
    return {"HOME": setup.home, **SURROUNDINGS, **more}


def openai(setup: LaunchSetup) -> dict[str, str]:
    """Where the clients of LiteLLM and OpenAI look for the endpoint and the token."""
    base = f"{setup.address}/v1"
    return {"OPENAI_API_KEY": setup.token, "OPENAI_API_BASE": base, "OPENAI_BASE_URL": base}


def program(setup: LaunchSetup, name: str) -> str:
    return str(setup.toolbox / "bin" / name)


def raw(text: str) -> str:
    """A text as a template of Jinja that gives just this text."""
    return text and "{{ " + json.dumps(text) + " }}"


def dump_json(content: object) -> bytes:
    """JSON that is YAML as well: there a character is no pair of escapes, and some must be escaped."""
    text = json.dumps(content, indent=1, ensure_ascii=False)
    return NOT_YAML.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def parse_json(content: bytes) -> Any:
    """JSON of an agent, or None where it is none."""
    try:
        return json.loads(content[:MAX_TRAJECTORY_BYTES])
    except (ValueError, RecursionError):
        return None


def events(content: bytes) -> Iterator[dict[str, Any]]:
    """The objects among the lines of an agent's event stream; further lines are passed over."""
    # Agents print warnings and banners between their events.
    for line in content[:MAX_TRAJECTORY_BYTES].splitlines():
        if line.startswith(b"{") and isinstance(event := parse_json(line), dict):
            yield event


def value_at(value: Any, *path: str | int) -> Any:
    """The value at a path of keys and indices, or None."""
    for key in path:
        if isinstance(value, dict) and isinstance(key, str):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
            value = value[key]
        else:
            return None
    return value


def number(value: Any) -> float | int | None:
    """A number that is not negative and not absurd, else None. Never raises, however many digits it has."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value < MAX_CLAIMED else None


def usage(**claimed: Any) -> dict[str, Any]:
    """Those of the claimed amounts that are numbers."""
    return {key: good for key, value in claimed.items() if (good := number(value)) is not None}


def total(values: Sequence[Any]) -> float | int | None:
    """Sum of those that are numbers; None when none is."""
    good = [n for value in values if (n := number(value)) is not None]
    return sum(good) if good else None


def telling(
    read: Callable[[Any], Mapping[str, Any]], trajectory: bytes, content: Any
) -> AgentReport:
    """`read` gives the usage from the parsed content; a trajectory over the limit is cut, and noted."""
    note = (
        f"trajectory cut at {MAX_TRAJECTORY_BYTES} bytes"
        if len(trajectory) > MAX_TRAJECTORY_BYTES
        else ""
    )
    if content is None:
        note = f"{note}; no readable trajectory".lstrip("; ")
        return AgentReport({}, trajectory[:MAX_TRAJECTORY_BYTES], note)
    return AgentReport(read(content), trajectory[:MAX_TRAJECTORY_BYTES], note)
