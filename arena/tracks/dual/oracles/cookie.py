"""Flags of cookies that a response sets."""

from __future__ import annotations

from typing import Any

from arena.tracks.dual.oracles._examples import ERROR, FAIL, NEVER, PASS, example, response_step
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase, Parameter
from arena.tracks.dual.oracles._parameters import text
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, step_oracle
from arena.tracks.dual.runner.observation import StepObservation

FLAGS = ("HttpOnly", "Secure", "SameSite", "SameSite=Strict", "SameSite=Lax")


def _attributes(cookie: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in cookie.split(";")[1:])
    return {name.strip().lower(): value.strip().lower() for name, _, value in pairs}


def _has(attributes: dict[str, str], flag: str) -> bool:
    name, _, wanted = flag.lower().partition("=")
    if name != "samesite":
        return name in attributes
    # With `SameSite=None` browsers send the cookie from every site, so it does not count as the flag.
    return attributes.get(name) in ([wanted] if wanted else ["strict", "lax"])


def _is_kept(cookie: str) -> bool:
    """Whether a cookie is set, and not taken back (RFC 6265, Section 5.2.2)."""
    age = _attributes(cookie).get("max-age", "1")
    return not (age == "0" or age.startswith("-"))


@step_oracle
def _judge(case: OracleCase, step: StepObservation) -> Judgement:
    name = case.parameters.get("name")
    cookies = [
        value for header, value in step.headers if header == "set-cookie" and _is_kept(value)
    ]
    matching = [item for item in cookies if name in (None, item.partition("=")[0].strip())]
    if not matching:
        return fail_judgement(f"no cookie{f' {name}' if name else ''} was set", "\n".join(cookies))
    for cookie in matching:
        lacking = [flag for flag in case.parameters["flags"] if not _has(_attributes(cookie), flag)]
        if lacking:
            cookie_name = cookie.partition("=")[0].strip()
            return fail_judgement(f"the cookie {cookie_name} lacks {', '.join(lacking)}", cookie)
    return pass_judgement("\n".join(matching))


def _wrong_flags(value: Any) -> str:
    good = value and all(flag in FLAGS for flag in value)
    return "" if good else f"some of {', '.join(FLAGS)} are expected"


_HTTP_ONLY = {"name": "sid", "flags": ["HttpOnly"]}

PLUGIN = Oracle(
    name="cookie",
    title="cookies have these flags",
    kind="security",
    judge=_judge,
    parameters={
        "name": text("the cookie; default: all that are set"),
        "flags": Parameter(
            f"some of {', '.join(FLAGS)}; SameSite alone is Strict or Lax",
            (list,),
            True,
            _wrong_flags,
        ),
    },
    examples=(
        example(
            "it has", PASS, response_step(200, set_cookie="sid=1; Path=/; httponly"), _HTTP_ONLY
        ),
        example("it lacks one", FAIL, response_step(200, set_cookie="sid=1; Secure"), _HTTP_ONLY),
        example(
            "a value is not a flag", FAIL, response_step(200, set_cookie="sid=HttpOnly"), _HTTP_ONLY
        ),
        example(
            "SameSite=None",
            FAIL,
            response_step(200, set_cookie="sid=1; SameSite=None"),
            {"flags": ["SameSite"]},
        ),
        example(
            "SameSite",
            PASS,
            response_step(200, set_cookie="sid=1; SameSite=Lax"),
            {"flags": ["SameSite"]},
        ),
        example("no cookie", FAIL, response_step(200), _HTTP_ONLY),
        example(
            "a deleted cookie",
            FAIL,
            response_step(200, set_cookie="sid=; Max-Age=0; HttpOnly"),
            _HTTP_ONLY,
        ),
        example("never started", ERROR, NEVER, _HTTP_ONLY),
    ),
)
