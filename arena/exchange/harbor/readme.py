"""The page that a Harbor task carries for people: what is graded, and what is not."""

from __future__ import annotations

from arena.exchange.harbor.verify import LABEL_NUMBERS
from harness.grade.verdict import INPUT_MEANING, MEANING
from harness.grade.version import GRADER_VERSION
from tasks.loader import Task

# What `arena grade` does with its own sandbox and Harbor's verifier does not.
NOT_GRADED = (
    "There are no namespaces and no system-call filter around what is built and run; the container is "
    "the sandbox. Commands run one at a time as a user who is not root, and nothing outlives one.",
    "The kernel does not cap the memory and the disk of a command; both are watched.",
    "The agent's budget, its calls to a model and its trajectory are Harbor's matter; there is no audit.",
)
MEANINGS: dict[str, str] = {
    **{str(label): text for label, text in MEANING.items()},
    **{str(label): text for label, text in INPUT_MEANING.items()},
}
REWARDS = {
    "reward": "1 where the label is `C&S`, or `reproduced` where only an input is asked for; else 0",
    "input": "the input reproduces the crash (only where an input is asked for)",
    "builds": "the patch applies, and the product and the fuzz target build",
    "tests": "the developers' tests come out as with their own change",
    "poc": "the PoC does not crash, in any build, and the sanitizer still sees errors (the control)",
    "neighbours": "inputs near the PoC do not crash, and harmless ones come out as with the fix",
    "sast": "no new finding of the scanner, and no newly called function to look at",
    "label": "the number of the label, by the table below",
}


def readme(task: Task, pack: str) -> str:
    """The page, in Markdown."""
    rewards = "\n".join(f"| `{name}` | {text} |" for name, text in REWARDS.items())
    labels = "\n".join(
        f"| {number} | `{label}` | {MEANINGS[label]} |" for label, number in LABEL_NUMBERS.items()
    )
    missing = "\n".join(f"- {text}" for text in NOT_GRADED)
    return f"""\
# {task.id}

A task of the kind `{task.kind}` of the pack `{pack}`, written by secure-coding-arena.
Grader version: {GRADER_VERSION}.

The agent works in `environment/`, without a network, as a user who is not root. Then its work tree is packed
and brought to a container that it never was in (`tests/`): the patch is read there by git, and graded by the
project's own grader. That container has no network either.

| reward | 1 if |
|---|---|
{rewards}

The steps count in this order up to the first that is not passed: the later ones are then 0. Without a verdict
there is no reward, which Harbor reports as an error.

| number | label | meaning |
|---|---|---|
{labels}

Not done here, though `arena grade` does it:

{missing}
"""
