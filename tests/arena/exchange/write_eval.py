"""Writes genuine logs of Inspect with a model that is a list of answers: run by its environment's Python."""

from __future__ import annotations

import sys

from inspect_ai import Task, eval  # type: ignore[import-not-found,unused-ignore]
from inspect_ai.dataset import Sample  # type: ignore[import-not-found,unused-ignore]
from inspect_ai.model import (  # type: ignore[import-not-found,unused-ignore]
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import includes  # type: ignore[import-not-found,unused-ignore]
from inspect_ai.solver import (  # type: ignore[import-not-found,unused-ignore]
    generate,
    system_message,
    use_tools,
)
from inspect_ai.tool import tool  # type: ignore[import-not-found,unused-ignore]

MODEL = "mockllm/model"


@tool  # type: ignore[untyped-decorator,unused-ignore]
def list_files():  # type: ignore[no-untyped-def]
    async def execute(path: str) -> str:
        """List a folder.

        Args:
            path: The folder.
        """
        return "x.c"

    return execute


call = ModelOutput.for_tool_call(MODEL, "list_files", {"path": "."})
answer = ModelOutput.from_content(MODEL, "the answer is yes, " + "at length " * 30)
outputs = [call, answer] * 2
for output in outputs:
    # Without counts of its own the model asks a tokeniser, which is fetched from the network.
    output.usage = ModelUsage(
        input_tokens=10,
        output_tokens=5,
        input_tokens_cache_read=2,
        input_tokens_cache_write=3,
        total_tokens=20,
    )
samples = [
    Sample(id="alpha", input="Say yes.", target="yes"),
    Sample(id="beta", input="Say no.", target="never"),
]
for form in ("eval", "json"):
    task = Task(
        dataset=samples,
        solver=[system_message("You edit."), use_tools([list_files()]), generate()],
        scorer=includes(),
        name="demo",
    )
    eval(
        task,
        model=get_model(MODEL, custom_outputs=list(outputs)),
        log_dir=f"{sys.argv[1]}/{form}",
        log_format=form,
        display="none",
        max_connections=1,
        max_samples=1,
    )
