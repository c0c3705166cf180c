"""An input that would be a separate record in a log."""

from __future__ import annotations

from arena.tracks.dual.oracles._changes import absolute
from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    a_file,
    call_step,
    example,
    make_observation,
    raising_step,
    ran,
    response_step,
)
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import text
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, unmade


def _log(case: OracleCase) -> tuple[str, str] | None:
    """The log before and after the run; None where there is none."""
    path = case.parameters.get("path")
    if path is None:
        step, observation = case.examined_step, case.observation
        printed = f"{step.stdout}\n{step.stderr}" if step else ""
        whole = f"{observation.stdout}\n{observation.stderr}\n{printed}"
        return ("", whole) if whole.strip() else None
    before = case.observation.before.get(absolute(path))
    after = case.observation.after.get(absolute(path))
    return (before.content if before else "", after.content) if after else None


def _count_forged(log: str, text: str) -> int:
    # `splitlines` also splits at carriage returns and Unicode separators, as viewers of logs may do.
    return sum(line.startswith(text) for line in log.splitlines())


def _is_declined(case: OracleCase) -> bool:
    """Whether the input was refused, so that there was nothing to log."""
    step = case.examined_step
    refused = step and (step.raised or step.exit or (step.status or 0) >= 400)
    return bool(refused)


def _judge(case: OracleCase) -> Judgement:
    forged, log = case.parameters["forged"], _log(case)
    if log and _count_forged(log[1], forged) > _count_forged(log[0], forged):
        return fail_judgement(
            "a line that the input made up is a record of its own", log[1][-1_500:]
        )
    if reason := unmade(case):
        return reason
    # A program that logs nothing must not pass for one that logs safely.
    if log is None and not _is_declined(case):
        return fail_judgement("nothing was logged")
    return pass_judgement(log[1][-1_500:] if log else "the input was refused, and nothing logged")


_FORGED = {"forged": "INFO admin logged in"}
_INTO = {**_FORGED, "path": "app.log"}


def _log_entry(content: str) -> dict[str, object]:
    return {"after": {"/srv/app/app.log": a_file(content)}}


PLUGIN = Oracle(
    name="no-log-forgery",
    title="an input creates no log record of its own",
    kind="security",
    judge=_judge,
    parameters={
        "forged": text("the beginning of the record that the input would forge", needed=True),
        "path": text("the log, relative or absolute; default: standard output and error"),
    },
    examples=(
        example(
            "escaped",
            PASS,
            make_observation(call_step(), **_log_entry("WARN bob\\nINFO admin logged in\n")),
            _INTO,
        ),
        example(
            "a record of its own",
            FAIL,
            make_observation(call_step(), **_log_entry("WARN bob\nINFO admin logged in\n")),
            _INTO,
        ),
        example(
            "after a carriage return", FAIL, ran("", 0, "WARN bob\rINFO admin logged in"), _FORGED
        ),
        example(
            "after a Unicode line separator",
            FAIL,
            ran("WARN bob\u2028INFO admin logged in"),
            _FORGED,
        ),
        example("in the middle of a line", PASS, ran("WARN bob INFO admin logged in\n"), _FORGED),
        example(
            "indented, as the rest of a record",
            PASS,
            ran("WARN bob\n    INFO admin logged in"),
            _FORGED,
        ),
        example(
            "of a service",
            FAIL,
            make_observation(response_step(200), stderr="bob\nINFO admin logged in"),
            _FORGED,
        ),
        example(
            "it was in the log before",
            PASS,
            make_observation(
                call_step(),
                before={"/srv/app/app.log": a_file("INFO admin logged in\n")},
                **_log_entry("INFO admin logged in\nWARN bob\n"),
            ),
            _INTO,
        ),
        example("nothing was logged", FAIL, call_step(), _INTO),
        example("the input was refused", PASS, raising_step("ValueError"), _INTO),
        example("never started", ERROR, NEVER, _FORGED),
    ),
    weaknesses=("a record after the first 64 KiB of a log",),
)
