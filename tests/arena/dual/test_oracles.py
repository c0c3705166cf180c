"""Oracles: their examples hold, parameters are checked, nothing hostile stops them or slows them down."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.tracks.dual.oracles._checked import PACKAGE, check_parameters, judge, oracle_of
from arena.tracks.dual.oracles._examples import (
    SECRETS,
    TOKEN,
    a_file,
    call_step,
    make_observation,
    ran,
    response_step,
)
from arena.tracks.dual.oracles._oracle import Oracle, OracleCase, OracleVerdict
from arena.tracks.dual.runner.observation import (
    FileObservation,
    ObservedCall,
    ObservedConnection,
    ProcessEnded,
    RunObservation,
    StepObservation,
)
from parsers.registry import UnknownName, names

ORACLES = [oracle_of(name) for name in names(PACKAGE)]
DOCUMENT = Path(__file__).parents[3] / "docs" / "dual-oracles.md"
FUNCTIONAL = ["returns", "raises", "prints", "exits", "responds", "says", "refuses"]
LISTED = """returns raises prints exits responds writes rows says refuses no-canary no-secret no-outbound
database tested tree mode escaped within no-traceback no-log-forgery no-weak-random no-weak-hash no-weak-cipher
no-spawn no-eval no-unsafe-load unpredictable distinct hides cookie redirects-inside survives"""


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: oracle.name)
def test_examples(oracle: Oracle) -> None:
    for example in oracle.examples:
        found = judge(oracle.name, example.case)
        assert found.verdict is example.verdict, (example.title, found)
        assert bool(found.reason) == (found.verdict is not OracleVerdict.PASS), example.title
        assert "\n" not in found.reason, example.title


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: oracle.name)
def test_declaration(oracle: Oracle) -> None:
    assert oracle.name in names(PACKAGE)
    assert len(oracle.examples) >= 4
    assert {OracleVerdict.PASS, OracleVerdict.FAIL} <= {
        example.verdict for example in oracle.examples
    }
    titles = [example.title for example in oracle.examples]
    assert len(set(titles)) == len(titles)
    assert set(oracle.any_of) <= set(oracle.parameters)
    assert oracle.kind in ("functional", "security", "both")


def test_all_that_tasks_may_name_are_there() -> None:
    assert sorted(LISTED.split()) == sorted(oracle.name for oracle in ORACLES)


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: oracle.name)
def test_a_program_that_never_started_passes_nothing(oracle: Oracle) -> None:
    for example in oracle.examples:
        tree = {"/srv/app/a": a_file()}
        never = RunObservation(
            ProcessEnded.NO_START, why="x", secrets=SECRETS, before=tree, after=tree
        )
        twin = never if oracle.twin else None
        case = dataclasses.replace(example.case, observation=never, twin=twin)
        assert judge(oracle.name, case).verdict is OracleVerdict.ERROR


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: oracle.name)
def test_a_step_that_was_never_made_passes_nothing(oracle: Oracle) -> None:
    for example in oracle.examples:
        unmade = make_observation(
            StepObservation(ProcessEnded.NOT_RUN), ended=ProcessEnded.DIED, secrets=SECRETS
        )
        case = dataclasses.replace(
            example.case, observation=unmade, twin=unmade if oracle.twin else None
        )
        assert judge(oracle.name, case).verdict is not OracleVerdict.PASS


def with_noise(found: RunObservation) -> RunObservation:
    """The same answers, with a file, a connection, a command, a call and a secret more."""
    return dataclasses.replace(
        found,
        after={**found.after, "/srv/app/else": a_file("x")},
        connections=(*found.connections, ObservedConnection("dns", "elsewhere.example", 53)),
        canaries=(*found.canaries, ("canary", "x")),
        calls=(*found.calls, ObservedCall("eval", "eval")),
        secrets={**found.secrets, "/srv/other.txt": "Qm4w8ZtL2xKc91VbNe57"},
    )


@pytest.mark.parametrize("name", FUNCTIONAL)
def test_what_is_elsewhere_changes_no_answer(name: str) -> None:
    for example in oracle_of(name).examples:
        noisy = dataclasses.replace(example.case, observation=with_noise(example.case.observation))
        assert judge(name, noisy) == judge(name, example.case)


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: oracle.name)
def test_a_fail_stays_one_where_a_secret_leaks_too(oracle: Oracle) -> None:
    for example in oracle.examples:
        if example.verdict is not OracleVerdict.FAIL:
            continue
        whole = example.case.observation
        leaking = dataclasses.replace(whole, secrets=SECRETS, stderr=f"{whole.stderr}\n{TOKEN}")
        found = judge(oracle.name, dataclasses.replace(example.case, observation=leaking))
        assert found.verdict is OracleVerdict.FAIL
        assert TOKEN not in found.observed + found.reason


@pytest.mark.parametrize(
    "name, parameters, told",
    [
        ("returns", {}, "value: missing"),
        ("returns", {"value": 1, "tolerance": "x"}, "tolerance: "),
        ("returns", {"value": 1, "order": 0}, "order: true or false"),
        ("returns", {"value": {"$match": "("}}, r"value: \$match: no regular expression"),
        ("returns", {"value": [{"$type": "float"}]}, r"value: \$type"),
        ("returns", {"value": {"$approx": 1}}, r"value: \$approx: needs"),
        ("returns", {"value": {"$wrong": 1}}, r"value: \$wrong"),
        ("returns", {"value": {"$any": True, "more": 1}}, r"value: \$any: has no business"),
        ("prints", {}, "text, json, pattern, lines: at least one"),
        ("prints", {"pattern": "["}, "pattern: no regular expression"),
        ("prints", {"text": 3}, "text: a text or an object"),
        ("exits", {"status": "2"}, "status: "),
        ("exits", {"status": True}, "status: "),
        ("responds", {"status": 20}, "status: "),
        ("responds", {"status": "6xx"}, "status: "),
        ("responds", {"contains": []}, "contains: "),
        ("writes", {"path": "a", "mode": "rw"}, "mode: "),
        ("no-secret", {"where": 1}, "where: unknown parameter; known: none"),
        ("no-outbound", {"hosts": "x"}, "hosts: a list"),
        ("database", {"unchanged": False}, "unchanged: "),
        ("database", {"added": {"t": -1}}, "added: "),
        ("within", {"seconds": -1}, "seconds: "),
        ("distinct", {"steps": ["0"]}, "steps: "),
        ("hides", {"texts": [""]}, "texts: "),
        ("hides", {"texts": ["x"], "where": ["disk"]}, "where: "),
        ("cookie", {"flags": ["Sec"]}, "flags: "),
    ],
)
def test_wrong_parameters_are_told(name: str, parameters: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told) as raised:
        check_parameters(oracle_of(name), parameters)
    assert "\n" not in str(raised.value)
    with pytest.raises(ValueError, match=told):
        judge(name, OracleCase(make_observation(call_step()), parameters))


def test_an_unknown_oracle_is_told_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="returns"):
        judge("return", OracleCase(make_observation(call_step()), {}))


def test_a_missing_second_run_is_no_verdict() -> None:
    with pytest.raises(ValueError, match="second run"):
        judge("unpredictable", OracleCase(make_observation(call_step("x")), {}))


odd = st.text(st.characters(), max_size=60) | st.sampled_from(
    [
        TOKEN,
        "\ud800",
        "<a b='",
        "&#" + "1" * 5000,
        "[" * 3000,
        '{"$bytes": 1}',
        "NaN",
        "\\x4",
        "%zz",
        "\u0130",
    ]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | odd,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(odd | st.just("$tuple"), inner, max_size=4)
    ),
    max_leaves=12,
)
files = st.dictionaries(
    st.sampled_from(
        ["/srv/app/note.txt", "/srv/app/app.log", "/srv/app/key.pem", "/srv/app/k", "/\ud800"]
    ),
    st.builds(
        FileObservation,
        kind=st.sampled_from(["file", "folder", "link", "other"]),
        mode=st.integers(0, 0o177777),
        size=st.integers(0, 1 << 40),
        sha256=st.sampled_from(["", "a", "size:9"]),
        content=odd,
        target=odd,
    ),
)
headers = st.lists(
    st.tuples(st.sampled_from(["location", "set-cookie", "refresh", "content-type"]), odd),
    max_size=3,
)
steps = st.builds(
    StepObservation,
    ended=st.sampled_from(list(ProcessEnded)),
    value=values,
    raised=st.just("") | odd,
    bases=st.lists(odd, max_size=2).map(tuple),
    text=odd,
    exit=st.none() | st.integers(-64, 255),
    status=st.none() | st.integers(0, 999),
    headers=headers.map(tuple),
    body=odd,
    stdout=odd,
    stderr=odd,
)
cells = st.none() | st.integers() | st.floats() | odd | st.just({"$hex": "00ff"})
rows = st.dictionaries(
    st.sampled_from(["tide", "users", "!"]),
    st.lists(st.tuples(cells, cells), max_size=2).map(tuple),
)
databases = st.dictionaries(st.sampled_from(["tides.db", "users.db"]), rows)
hostile = st.builds(
    RunObservation,
    ended=st.sampled_from(list(ProcessEnded)),
    why=odd,
    steps=st.lists(steps, max_size=3).map(tuple),
    stdout=odd,
    stderr=odd,
    before=files,
    after=files,
    databases_before=databases,
    databases_after=databases,
    canaries=st.lists(st.lists(odd, max_size=2).map(tuple), max_size=2).map(tuple),
    connections=st.lists(
        st.builds(
            ObservedConnection,
            st.sampled_from(["dns", "tcp", "http"]),
            odd,
            st.integers(0, 65535),
            odd,
        ),
        max_size=2,
    ).map(tuple),
    calls=st.lists(
        st.builds(ObservedCall, st.sampled_from(["eval", "spawn"]), odd, odd), max_size=2
    ).map(tuple),
    secrets=st.just(SECRETS),
)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(found=hostile, twin=hostile)
def test_nothing_hostile_stops_an_oracle(found: RunObservation, twin: RunObservation) -> None:
    for oracle in ORACLES:
        example = oracle.examples[0]
        case = OracleCase(found, example.case.parameters, twin=twin if oracle.twin else None)
        verdict = judge(oracle.name, case)
        assert len(verdict.observed) <= 2_000 and "\n" not in verdict.reason
        assert TOKEN not in verdict.observed + verdict.reason
        (verdict.observed + verdict.reason).encode("utf-8")
        if found.ended is ProcessEnded.NO_START:
            assert verdict.verdict is not OracleVerdict.PASS


LONG = 100_000
UNITS = (
    "<",
    "<a ",
    "<!--",
    '<a x="',
    "<script>",
    "&#",
    "\n",
    " ",
    "[",
    "%41",
    "\\x41",
    TOKEN[:8],
    "    at a:1 ",
    "/",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["escaped", "no-secret", "no-traceback", "no-log-forgery", "prints", "refuses", "says"]
)
def test_time_grows_with_the_length_only(name: str) -> None:
    example = oracle_of(name).examples[0]
    began = time.process_time()
    for unit in UNITS:
        text = unit * (LONG // len(unit))
        for step in (ran(text, 0), response_step(200, text)):
            judge(
                name, OracleCase(make_observation(step, secrets=SECRETS), example.case.parameters)
            )
    assert time.process_time() - began < 20


@given(shift=st.binary(max_size=3), before=st.text("ab .:", max_size=5), cut=st.integers(0, 4))
def test_a_token_is_known_in_any_dress(shift: bytes, before: str, cut: int) -> None:
    import base64
    from urllib.parse import quote_from_bytes

    part = TOKEN[cut : cut + 16]
    coded = base64.b64encode(shift + TOKEN.encode() + shift).decode()
    percent = "".join(f"%{byte:02X}" for byte in TOKEN.encode())
    dresses = [
        part,
        part[::-1],
        part.upper(),
        part.encode().hex(" "),
        coded,
        percent,
        ".".join(part),
    ]
    dresses += ["".join(f"\\x{byte:02x}" for byte in part.encode()), "\n".join(coded)]
    for dress in (*dresses, quote_from_bytes(part.encode())):
        found = judge(
            "no-secret",
            OracleCase(make_observation(call_step([before + dress]), secrets=SECRETS), {}),
        )
        assert found.verdict is OracleVerdict.FAIL, dress
        assert TOKEN not in found.observed and part not in found.observed


@given(text=st.text(max_size=300))
def test_no_text_without_a_token_is_a_leak(text: str) -> None:
    assert (
        judge(
            "no-secret", OracleCase(make_observation(call_step(text), secrets=SECRETS), {})
        ).verdict
        is OracleVerdict.PASS
    )


def test_the_document_tells_all_oracles() -> None:
    text = DOCUMENT.read_text("utf-8")
    for oracle in ORACLES:
        section = text.partition(f"### `{oracle.name}`\n")[2].partition("\n### ")[0]
        assert oracle.title in section, oracle.name
        for name, parameter in oracle.parameters.items():
            assert f"| `{name}`" in section and parameter.meaning.replace("|", "\\|") in section
        assert all(example.title in section for example in oracle.examples)
        assert all(weakness in section for weakness in oracle.weaknesses)
