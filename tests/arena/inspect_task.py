"""Runs our tasks in Inspect with a scripted model and prints the scores: run by its environment's Python.

argv: a folder for logs, the folder of this project's packages, a task, and a patch ("" for none).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path += [str(Path(__file__).parents[2]), sys.argv[2]]  # Inspect's own packages come first

from inspect_ai import eval  # type: ignore[import-not-found,unused-ignore]
from inspect_ai.model import (  # type: ignore[import-not-found,unused-ignore]
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import (  # type: ignore[import-not-found,unused-ignore]
    generate,
    use_tools,
)
from inspect_ai.tool import bash  # type: ignore[import-not-found,unused-ignore]

from arena.inspect import repo

MODEL = "mockllm/model"
LOOK = "ls; echo oops >&2; cat missing"


def call(command: str) -> ModelOutput:
    return ModelOutput.for_tool_call(MODEL, "bash", {"command": command})


patch = Path(sys.argv[4]).read_text() if sys.argv[4] else ""
commands = [LOOK, *([f"git apply <<'THE_END'\n{patch}\nTHE_END"] if patch else [])]
outputs = [*map(call, commands), ModelOutput.from_content(MODEL, "Done.")]
for output in outputs:
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
(log,) = eval(
    repo(pack="starter", tasks=sys.argv[3], sandbox="docker"),
    model=get_model(MODEL, custom_outputs=outputs),
    solver=[use_tools([bash(timeout=60)]), generate()],
    log_dir=sys.argv[1],
    display="none",
)
told = []
for sample in log.samples or ():
    tools = [message.text for message in sample.messages if message.role == "tool"]
    score = (sample.scores or {}).get("grader_verdict")
    facts = (
        {"value": score.value, "label": score.answer, "reason": score.explanation} if score else {}
    )
    error = sample.error.message if sample.error else ""
    told.append({"id": sample.id, "target": sample.target, "tools": tools, "error": error, **facts})
print(json.dumps({"status": log.status, "samples": told}))
