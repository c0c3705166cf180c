"""Prompts of the agentic executor. They never contain expected values."""

from __future__ import annotations

import json
from collections.abc import Sequence

from arena.models.completion import Message
from arena.tracks.dual.generate.prompts import specification
from arena.tracks.dual.languages.plan import FILES, Candidate
from arena.tracks.dual.material import MATERIAL, enclose_text
from arena.tracks.dual.runner.order import HOME
from arena.tracks.dual.tasks.pack import DualTask

MAX_CODE, MAX_SPECIFICATION, MAX_INPUT, MAX_OUTPUT = 40_000, 6_000, 4_000, 6_000
_STARTED = '{"stdout": text, "stderr": text, "exit": number} of the program'
OBSERVATION_FORMS = {
    "function": '{"value": what the call returned} or {"raised": name of the exception, "text": its message}',
    "http": '{"status": number, "headers": {name: value}, "body": text} of the response',
    "stdin": _STARTED,
    "cli": _STARTED,
    "file": _STARTED,
}
_ARGUMENTS = '{"args": [...], "stdin": text}, of which both may be left out'
STEPS = {
    "function": '{"call": name, "args": [...], "kwargs": {...}}',
    "http": '{"method", "path", "query", "headers", "form", "json", "body"}, of which some may be left out',
    "stdin": _ARGUMENTS,
    "cli": _ARGUMENTS,
    "file": '{"args": [path to read, path to write]}',
}
ROLE = """\
You make a program run that somebody else has written. You may not change it, copy it with changes, or do \
its work for it: you write one Python script that starts it, feeds it, and tells what it did. The script is \
run once for each test in the folder {home}, where the program is {file}. It reads one JSON object from \
standard input, {{"steps": [step, ...]}}; a step is {step}. It does the steps in order, on one running \
program where the program keeps state, and prints as its last line a JSON list with one object for each \
step: {told}. The script does not decide whether an answer is right, and ends what it has started. There is \
no network but the loopback. A service has to be waited for; the environment variable PORT, which tells it \
its port, is yours to set.

{material}"""
FORM = (
    "Answer with the whole script in a ```python block, and with a ```json block "
    '{"packages": ["names of packages the program imports that have to be installed"]}; [] for none.'
)
REPAIR = (
    'Why? Answer with a ```json block {"cause": "environment" | "script" | "code", "reason": "one '
    'sentence", "packages": [...]}: "environment" when packages are missing (then `packages` is the whole '
    'list of them), "script" when the script is at fault (then add the whole mended script in a ```python '
    'block), "code" when the program itself is broken, so that no script can run it.'
)
CAPTURE = (
    "The script ended well, but what it printed is not what was asked for. Answer with the whole mended "
    "script in a ```python block."
)


def to_write(
    task: DualTask, candidate: Candidate, test_input: str, why: str
) -> tuple[Message, ...]:
    """Lines 1 and 2 of Algorithm 1: find out how the program is run, and write the script.

    test_input: what the script will read in the first test. why: the adapters' reason for refusal.
    """
    language = candidate.language
    shape = task.spec.io.shape
    role = ROLE.format(
        home=HOME,
        file=f"{HOME}/{FILES[language]}",
        step=STEPS[shape],
        told=OBSERVATION_FORMS[shape],
        material=MATERIAL,
    )
    content = "\n\n".join(
        (
            enclose_text(
                "what the program is meant to be", specification(task, language), MAX_SPECIFICATION
            ),
            enclose_text(f"the program, in {language}", candidate.text, MAX_CODE),
            enclose_text("input of the first test", test_input, MAX_INPUT),
            enclose_text("why it could not be started in the usual way", why, MAX_OUTPUT),
            FORM,
        )
    )
    return ({"role": "system", "content": role}, {"role": "user", "content": content})


def to_repair(
    first: tuple[Message, ...], script: str, packages: Sequence[str], output: str, failed: bool
) -> tuple[Message, ...]:
    """Lines 7 to 11 (a failed run), or line 17 (nothing was captured)."""
    listed = json.dumps(list(packages))
    content = "\n\n".join(
        (
            f"Packages that are installed besides those of the place: {listed}",
            enclose_text("what came of the script on the first test", output, MAX_OUTPUT),
            REPAIR if failed else CAPTURE,
        )
    )
    script_message = {
        "role": "assistant",
        "content": f"```python\n{script}```" if script else "(no script)",
    }
    return (*first, script_message, {"role": "user", "content": content})
