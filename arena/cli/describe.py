"""`arena tasks describe`: write or check the instructions of tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arena import options
from arena.cli.common import MISTAKE, OK, UNLABELLED, UNMET, emit, print_err
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.building.instruction.folder import TaskFolder
    from arena.building.instruction.loop import Ask
    from tasks.instruction.checker import Context, InstructionFault

NAME = "describe"
HELP = "Write the instructions of tasks with a model, or drafts without one; or check them."

TasksArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TASK]...", help="Ids in the pack, or folders with a gold patch; default: all."
    ),
]
DiscussionOption = Annotated[
    Path | None,
    typer.Option("--discussion", help="A text file with the discussion linked to the change."),
]
CheckOption = Annotated[bool, typer.Option("--check", help="Only check the existing instruction.")]
AttemptsOption = Annotated[
    int, typer.Option("--attempts", min=1, max=20, help="Maximum number of answers from the model.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace an existing instruction.")]
MinWordsOption = Annotated[
    int | None, typer.Option("--least", help="Minimum number of words (35).")
]
MaxWordsOption = Annotated[
    int | None, typer.Option("--most", help="Maximum number of words (408).")
]
AllowOption = Annotated[
    list[str] | None,
    typer.Option("--allow", help="A name in the code base that the rules ignore."),
]
TimeoutOption = Annotated[
    float,
    typer.Option("--timeout", min=0.1, help="Timeout for each answer of the model, in seconds."),
]

TextOrigin = Literal["checked", "kept", "model", "draft", ""]


@dataclass(frozen=True)
class DescribeSettings:
    """The settings for all tasks of a call."""

    pack: str
    only_check: bool
    force: bool
    attempts: int
    model: str | None
    ask: Ask | None
    discussion: str
    context: Context


@dataclass(frozen=True)
class DescribedTask:
    """The outcome of a task. `status` is the exit code that it alone would cause.

    how: the origin of the text: checked or left as it was, written by the model, or a draft.
    attempts: the faults of each answer of the model.
    """

    task: str
    status: int
    how: TextOrigin = ""
    words: int = 0
    faults: tuple[InstructionFault, ...] = ()
    model: str | None = None
    attempts: tuple[tuple[InstructionFault, ...], ...] = ()
    usage: dict[str, int] | None = None
    error: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "ok": self.status == OK,
            "how": self.how,
            "words": self.words,
            "faults": [asdict(fault) for fault in self.faults],
            "model": self.model,
            "attempts": [[asdict(fault) for fault in faults] for faults in self.attempts],
            "usage": self.usage or {},
            "error": self.error,
        }


def describe(
    tasks: TasksArgument = None,
    pack: options.Pack = "starter",
    model: options.OneModel = "",
    api_base: options.ApiBase = "",
    discussion: DiscussionOption = None,
    only_check: CheckOption = False,
    attempts: AttemptsOption = 4,
    force: ForceOption = False,
    min_words: MinWordsOption = None,
    max_words: MaxWordsOption = None,
    allow: AllowOption = None,
    timeout: TimeoutOption = 180.0,
    as_json: options.Json = False,
) -> None:
    from arena.building.instruction.folder import read_text
    from tasks.instruction.checker import MAX_WORDS, MIN_WORDS, Context
    from tasks.loader import load_pack

    if only_check and model:
        raise ValueError("--check asks no model; leave out --model")
    # An address without a model would be ignored in silence.
    if api_base and not model:
        raise ValueError("--api-base: needs --model")
    words = (
        MIN_WORDS if min_words is None else min_words,
        MAX_WORDS if max_words is None else max_words,
    )
    settings = DescribeSettings(
        pack=pack,
        only_check=only_check,
        force=force,
        attempts=attempts,
        model=model or None,
        ask=_ask(model, api_base, timeout) if model else None,
        # Read once, for all tasks of the call.
        discussion=read_text(discussion) if discussion else "",
        context=Context(*words, allowed=tuple(allow or ())),
    )
    worst = OK
    for name in tasks or [task.id for task in load_pack(pack).tasks]:
        outcome = describe_task(name, settings)
        # Exit codes rise with what is wrong.
        worst = max(worst, outcome.status)
        emit(outcome.to_json()) if as_json else _print(outcome)
    raise typer.Exit(worst)


def _ask(model: str, api_base: str, timeout: float) -> Ask:
    from arena.building.instruction.model_call import litellm_ask

    return litellm_ask(model, api_base or None, timeout)


def describe_task(name: str, settings: DescribeSettings) -> DescribedTask:
    """Describe or check a task; a mistake or a fault of the model is its outcome, so that the rest go on."""
    from arena.building.instruction.folder import find
    from arena.building.instruction.model_call import ModelFault
    from tasks.instruction.gold import GoldError
    from tasks.loader import TaskError

    try:
        folder = find(name, settings.pack)
        # One place for all three, so that each of them has its mistakes caught below.
        return _choose_action(folder, settings)(folder, settings)
    except (TaskError, GoldError) as error:
        message = str(error) if isinstance(error, TaskError) else f"{name}: {error}"
        return DescribedTask(name, MISTAKE, error=message)
    except ModelFault as error:
        return DescribedTask(name, UNLABELLED, model=settings.model, error=str(error))


def _choose_action(
    folder: TaskFolder, settings: DescribeSettings
) -> Callable[[TaskFolder, DescribeSettings], DescribedTask]:
    """The function to apply to a task: check it, leave it, or write its instruction."""
    if settings.only_check:
        return _check
    if not settings.force and _is_edited(folder):
        return _keep
    return _write_draft if settings.ask is None else _write


def _is_edited(folder: TaskFolder) -> bool:
    """Whether an instruction has been edited: any but a draft that is as it was written."""
    from tasks.instruction.draft import draft, needs_review

    text = folder.instruction()
    # Nothing is there that could be lost.
    if text is None:
        return False
    # A draft that was edited without its mark being removed is somebody's work too.
    return not needs_review(text) or text != draft(folder.message, folder.gold)


def _check_text(
    folder: TaskFolder, text: str, settings: DescribeSettings, how: TextOrigin
) -> DescribedTask:
    from tasks.instruction.checker import check

    faults = tuple(check(text, folder.gold, settings.context))
    status = UNMET if faults else OK
    return DescribedTask(folder.name, status, how, len(text.split()), faults)


def _check(folder: TaskFolder, settings: DescribeSettings) -> DescribedTask:
    return _check_text(folder, folder.instruction() or "", settings, "checked")


def _keep(folder: TaskFolder, settings: DescribeSettings) -> DescribedTask:
    print_err(f"{folder.name}: the instruction that is there is kept (--force replaces it)")
    return _check_text(folder, folder.instruction() or "", settings, "kept")


def _write_draft(folder: TaskFolder, settings: DescribeSettings) -> DescribedTask:
    from tasks.instruction.draft import draft

    text = draft(folder.message, folder.gold)
    folder.write(text)
    print_err(f"{folder.name}: no --model: a draft is written, which needs review")
    return _check_text(folder, text, settings, "draft")


def _write(folder: TaskFolder, settings: DescribeSettings) -> DescribedTask:
    from arena.building.instruction.loop import describe as describe_with_model

    # For the type checker: `_choose_action` chooses this function only where there is a model.
    if settings.ask is None or settings.model is None:
        raise ValueError("no model is given")
    description = describe_with_model(
        folder.gold,
        folder.message,
        settings.discussion,
        settings.model,
        settings.ask,
        settings.attempts,
        settings.context,
    )
    # An answer with faults never takes the place of what is there.
    if description.text is not None:
        folder.write(description.text)
    return DescribedTask(
        folder.name,
        UNMET if description.text is None else OK,
        "" if description.text is None else "model",
        len((description.text or "").split()),
        # The faults of the last answer: they are none where there is a text.
        description.attempts[-1],
        settings.model,
        description.attempts,
        asdict(description.usage),
    )


def _print(outcome: DescribedTask) -> None:
    """Print a line for the task and a line for each fault, on stdout."""
    state = "ok " if outcome.status == OK else "BAD"
    facts = f"{outcome.how}, {outcome.words} words" if outcome.how else "nothing written"
    print(one_line(f"{state} {outcome.task}: {outcome.error or facts}"), flush=True)
    for fault in outcome.faults:
        print("      " + one_line(f"{fault.rule}: {fault.message}"), flush=True)
    if outcome.attempts:
        tried = "; ".join(
            ", ".join(dict.fromkeys(fault.rule for fault in faults)) or "no fault"
            for faults in outcome.attempts
        )
        print("      " + one_line(f"attempts: {tried}"), flush=True)
