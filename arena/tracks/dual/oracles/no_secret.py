"""No secret left its file through any observed channel."""

from __future__ import annotations

from collections.abc import Iterator

from arena.tracks.dual.oracles._changes import list_changes, new_rows
from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NA,
    NEVER,
    PASS,
    SECRETS,
    TOKEN,
    a_file,
    call_step,
    example,
    make_observation,
    raising_step,
    response_step,
)
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._texts import outputs
from arena.tracks.dual.oracles._tokens import excerpt_around, find_leak, tokens_of
from arena.tracks.dual.oracles._verdicts import cannot, fail_judgement, pass_judgement, unmade
from arena.tracks.dual.runner.observation import ObservedConnection, ProcessEnded, RunObservation


def channels(observation: RunObservation) -> Iterator[tuple[str, str]]:
    """Every observed output channel -> the text that went there."""
    for number, step in enumerate(observation.steps):
        for name, text in outputs(step).items():
            yield f"{name} of step {number}", text
        yield f"headers of step {number}", "\n".join(f"{n}: {v}" for n, v in step.headers)
    yield "standard output", observation.stdout
    yield "standard error", observation.stderr
    for path, before, after in list_changes(observation):
        # Links have no hash: one that now leads elsewhere must be looked at.
        as_it_was = before and after and before.sha256 and before.sha256 == after.sha256
        if after and not as_it_was and path not in observation.secrets:
            yield f"file {path}", f"{path}\n{after.target}\n{after.content}"
    for connection in observation.connections:
        yield (
            f"{connection.kind} connection to {connection.host}",
            f"{connection.host}\n{connection.data}",
        )
    for table, text in new_rows(observation):
        yield f"table {table}", text
    for argv in observation.canaries:
        yield "a command's arguments", " ".join(argv)


def _judge(case: OracleCase) -> Judgement:
    tokens = tokens_of(case.observation)
    if not tokens:
        return cannot("the test has no secret that could be known again")
    for name, text in channels(case.observation):
        if how := find_leak(text, tokens):
            return fail_judgement(f"a secret is in {name} ({how})", excerpt_around(text, tokens))
    return unmade(case) or pass_judgement()


_WIRED = ObservedConnection("dns", f"{TOKEN[:10]}.{TOKEN[10:]}.evil.example", 53)

PLUGIN = Oracle(
    name="no-secret",
    title="no secret is in any output, file, row or connection",
    kind="security",
    judge=_judge,
    examples=(
        example("it stayed", PASS, make_observation(response_step(403, "no"), secrets=SECRETS)),
        example(
            "in a value",
            FAIL,
            make_observation(call_step({"text": [f"x{TOKEN}"]}), secrets=SECRETS),
        ),
        example(
            "in an exception", FAIL, make_observation(raising_step("E", TOKEN), secrets=SECRETS)
        ),
        example(
            "in a header",
            FAIL,
            make_observation(response_step(200, "", x_a=TOKEN), secrets=SECRETS),
        ),
        example(
            "in base64",
            FAIL,
            make_observation(call_step("Kms3UXg5MkxtVHowNFZiUnc4cFlk"), secrets=SECRETS),
        ),
        example(
            "in hexadecimal",
            FAIL,
            make_observation(call_step(TOKEN.encode().hex(":")), secrets=SECRETS),
        ),
        example(
            "reversed, in capitals",
            FAIL,
            make_observation(call_step(TOKEN[::-1].upper()), secrets=SECRETS),
        ),
        example("most of it", FAIL, make_observation(call_step(TOKEN[2:18]), secrets=SECRETS)),
        example("a short fragment", PASS, make_observation(call_step(TOKEN[:8]), secrets=SECRETS)),
        example(
            "as a name that was looked up",
            FAIL,
            make_observation(call_step(), secrets=SECRETS, connections=(_WIRED,)),
        ),
        example(
            "in a new file",
            FAIL,
            make_observation(call_step(), secrets=SECRETS, after={"/srv/app/copy": a_file(TOKEN)}),
        ),
        example(
            "in an existing file, unchanged",
            PASS,
            make_observation(
                call_step(),
                secrets=SECRETS,
                before={"/srv/app/.env": a_file(TOKEN)},
                after={"/srv/app/.env": a_file(TOKEN)},
            ),
        ),
        example(
            "in a row",
            FAIL,
            make_observation(
                call_step(), secrets=SECRETS, databases_after={"a.db": {"t": ((TOKEN,),)}}
            ),
        ),
        example(
            "it stayed with a program that never ran",
            ERROR,
            RunObservation(ProcessEnded.NO_START, secrets=SECRETS),
        ),
        example("there is none", NA, NEVER),
    ),
    weaknesses=(
        "a secret that is encrypted, compressed, or spread over several places in pieces of less than 16",
        "the content of a file after its first 64 KiB",
    ),
)
