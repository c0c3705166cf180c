"""Prints what verifiers' loader makes of a task directory of Harbor, as JSON: run by its environment's Python."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from verifiers.v1.tasksets.harbor.taskset import (  # type: ignore[import-not-found,unused-ignore]
    HarborConfig,
    parse_task,
)

FACTS = (
    "name",
    "image",
    "agent_user",
    "network_allow",
    "artifacts",
    "collect",
    "verifier",
    "resources",
)
config = HarborConfig(ignore_dockerfile="fallback" in sys.argv, ignore_timeouts=False)
try:
    task = parse_task(Path(sys.argv[1]), 0, config)
except ValueError as error:
    print(json.dumps({"refused": str(error)}))
else:
    facts = task.model_dump(mode="json")
    print(json.dumps({**{name: facts[name] for name in FACTS}, "prompt": task.prompt}))
