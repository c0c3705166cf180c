"""What the API answers is what the store holds, selected as `Selection` selects."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from arena.report.details.bounds import number
from arena.report.leaderboard import leaderboard
from arena.report.paired import compare
from arena.report.selection import FIELDS, Selection
from arena.store.model import AttemptKey, attempt_id
from arena.store.provenance import NOTHING_RECORDED
from arena.store.store import Store
from harness.grade.verdict import Label
from tests.arena.serve.conftest import PATIENCE, client_of
from tests.arena.serve.making import KEY, PATCH, finish, many, rich

pytestmark = pytest.mark.slow

FILTERS: list[dict[str, list[str]]] = [
    {},
    {"agent": ["aider"]},
    {"agent": ["aider", "gold"], "prompt": ["reminder"]},
    {"label": ["C&S", ""]},
    {"health": ["infra"]},
    {"cwe": ["CWE-101"], "language": ["c++"]},
    {"run": ["many"], "project": ["project-2"], "model": [""]},
    {"track": ["dual"]},
]


def ask(client: TestClient, address: str, **query: Any) -> Any:
    answer = client.get(address, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def ask_until(client: TestClient, address: str, enough: Callable[[Any], bool]) -> Any:
    """The first answer that is enough: what was read is told again for ten times as long as that took."""
    until = time.monotonic() + PATIENCE
    while not enough(told := ask(client, address)) and time.monotonic() < until:
        time.sleep(0.05)
    return told


def every(client: TestClient, limit: int, **query: Any) -> list[dict[str, Any]]:
    """All attempts of a question, page by page."""
    found: list[dict[str, Any]] = []
    after = ""
    while True:
        page = ask(
            client, "/api/attempts", limit=limit, **({"after": after} if after else {}), **query
        )
        found += page["attempts"]
        assert len(page["attempts"]) <= limit
        after = page["next"]
        if not after:
            assert page["total"] == len(found)
            return found


@pytest.mark.slow
@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_filters_are_those_of_selection(
    store: Store, client: TestClient, filters: dict[str, list[str]]
) -> None:
    many(store)
    rich(store)
    wanted = {row.id for row in store.rows() if Selection.from_query(filters).matches(row)}
    found = every(client, 7, **filters)
    assert {one["attempt"] for one in found} == wanted
    assert len(found) == len(wanted)


@pytest.mark.slow
@pytest.mark.parametrize("sort", ["usd", "-usd", "label", "-label", "task", "-score", "replicate"])
def test_pages_put_together_are_sorted_and_whole(
    store: Store, client: TestClient, sort: str
) -> None:
    many(store)
    found = every(client, 11, sort=sort)
    values = [(one[sort.lstrip("-")] is not None, one[sort.lstrip("-")] or 0, one["attempt"]) for one in found] if sort != "label" else None  # fmt: skip
    if values is not None:
        assert values == sorted(values, reverse=sort.startswith("-"))
    assert len({one["attempt"] for one in found}) == 72


def test_rows_tell_all_of_an_attempt(store: Store, client: TestClient) -> None:
    id_ = rich(store)
    (one,) = ask(client, "/api/attempts")["attempts"]
    assert one == {
        "attempt": id_, "run": "rich", "track": "repo", "pack": "starter", **vars(KEY), "health": "ok", "label": "CV",
        "score": None, "usd": 0.5, "tokens": 3150, "seconds": 12.0, "flags": ["history"], "found": ["CWE-120"],
        "language": "c", "project": "codec", "domain": "", "cwes": ["CWE-120"], "calls": 3,
        "provenance": NOTHING_RECORDED.to_json(),
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("address, told", [
    ("/api/attempts?color=red", "unknown parameter 'color'; known: limit, after, sort, run, track"),
    ("/api/attempts?limit=0", "limit: '0' is no number from 1 to 1000"),
    ("/api/attempts?limit=1001", "limit: '1001' is no number"),
    ("/api/attempts?limit=%D9%A3", "limit: '\u0663' is no number"),
    ("/api/attempts?limit=1&limit=2", "limit: given twice"),
    ("/api/attempts?sort=price", "sort: 'price' is none of task, run"),
    ("/api/attempts?after=x", "after: not a cursor"),
    ("/api/attempts?after=W10", "after: not a cursor"),
    ("/api/attempts?after=WyJ1c2QiLGZhbHNlLCJmbG9hdCIsMSwiYSJd", "after: a cursor of another order"),
    ("/api/attempts?after=WyJ0YXNrIixmYWxzZSwic3RyIiwxLCJhIl0", "after: a cursor of another order"),
    ("/api/leaderboard?by=colour", "colour"),
    ("/api/state?x=1", "unknown parameter 'x'; known: none"),
    ("/api/board?x=1", "unknown parameter"),
    ("/api/attempts/abc?x=1", "unknown parameter"),
])  # fmt: skip
def test_a_wrong_question_is_told_in_one_line(client: TestClient, address: str, told: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 400
    assert told in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


@pytest.mark.parametrize("address", ["/api/attempts/ffff", "/api/attempts/%25", "/api/nothing", "/nothing", "/a/b/c"])  # fmt: skip
def test_what_is_not_there_is_404(store: Store, client: TestClient, address: str) -> None:
    rich(store)
    answer = client.get(address)
    assert answer.status_code == 404
    assert set(answer.json()) == {"error"}


def test_leaderboard_is_that_of_the_selection(store: Store, client: TestClient) -> None:
    many(store)
    rows = [row for row in store.rows() if row.prompt == "reminder"]
    found = ask(client, "/api/leaderboard", prompt="reminder", by="agent,model")
    wanted = [entry.to_json() for entry in leaderboard(rows, ("agent", "model"))]
    assert found == json.loads(
        json.dumps({"by": ["agent", "model"], "attempts": 36, "entries": wanted})
    )
    assert len(wanted) == 3


def test_a_comparison_is_that_of_the_selection(store: Store, client: TestClient) -> None:
    many(store)
    rows = [row for row in store.rows() if row.prompt == "reminder"]
    query = {"prompt": "reminder", "by": "agent", "a": "aider", "b": "codex"}
    found = ask(client, "/api/compare", **query)
    due = {**compare(rows, "agent", "aider", "codex").to_json(), "warnings": []}
    assert found == json.loads(json.dumps(due))
    assert found["pairs"] > 0
    crashes = ask(client, "/api/compare", label_counted="CV", **query)
    due = {**compare(rows, "agent", "aider", "codex", "CV").to_json(), "warnings": []}
    assert crashes == json.loads(json.dumps(due))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("a=aider&b=codex", "by: is needed"),
        ("by=agent&a=aider", "b: is needed"),
        ("by=agent&a=aider&b=nobody", "no attempt has the agent 'nobody'"),
        ("by=task&a=x&b=y", "no comparison by 'task'"),
        ("by=agent&a=aider&b=codex&label_counted=XX", "no label 'XX'"),
    ],
)
def test_a_wrong_comparison_is_told(
    store: Store, client: TestClient, query: str, told: str
) -> None:
    many(store)
    answer = client.get(f"/api/compare?{query}")
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(told)


def test_state_changes_when_an_attempt_ends(store: Store, client: TestClient) -> None:
    many(store, tasks=2)
    before = ask(client, "/api/state")
    assert ask(client, "/api/state")["version"] == before["version"]
    (run,) = before["runs"]
    assert (run["run"], run["state"], run["done"], run["total"]) == ("many", "stopped", 22, 24)
    assert set(run["labels"]) == set(Label)
    (last, *_) = [row.id for row in store.rows() if not row.health]
    with store.lease("many"):
        finish(store, last, Label.NO)
        after = ask_until(client, "/api/state", lambda told: told["version"] != before["version"])
    assert after["version"] != before["version"]
    (run,) = after["runs"]
    assert (run["state"], run["done"]) == ("running", 23)
    assert run["rate_per_minute"] > 0
    assert run["usd"] == pytest.approx(sum(row.usd for row in store.rows()))
    assert len(every(client, 100, label="NO")) == before["runs"][0]["labels"]["NO"] + 1


def test_state_changes_when_an_audit_has_found_something(store: Store, client: TestClient) -> None:
    many(store, tasks=1)
    before = ask(client, "/api/state")
    seen = before["runs"][0]["flagged"]
    (clean, *_) = [row.id for row in store.rows() if row.health and not row.flags]
    store.set_flags(clean, ["history:reflog"], {"audit": []})
    after = ask_until(client, "/api/state", lambda told: told["version"] != before["version"])
    assert after["runs"][0]["flagged"] == seen + 1
    assert len([row for row in every(client, 100) if row["flags"]]) == seen + 1


def test_state_of_runs_that_are_done_or_not_begun(store: Store, client: TestClient) -> None:
    assert ask(client, "/api/state")["runs"] == []
    rich(store)
    store.open_run("starter", [KEY], {}, "later")
    told = ask_until(client, "/api/state", lambda told: len(told["runs"]) == 2)
    found = {run["run"]: run["state"] for run in told["runs"]}
    assert found == {"rich": "done", "later": "open"}


def test_board_is_compressed_and_has_a_tag(store: Store, client: TestClient) -> None:
    many(store)
    answer = client.get("/api/board")
    assert answer.headers["content-encoding"] == "gzip"
    told = answer.json()
    assert told["n"] == 72
    assert told["live"] is True
    assert told["version"] == ask(client, "/api/state")["version"]
    tag = answer.headers["etag"]
    assert client.get("/api/board", headers={"If-None-Match": tag}).status_code == 304
    plain = client.get("/api/board", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.json() == told
    rich(store)
    ask_until(client, "/api/board", lambda told: told["version"] != answer.json()["version"])
    again = client.get("/api/board", headers={"If-None-Match": tag})
    assert (again.status_code, again.json()["n"]) == (200, 73)


def test_detail_and_downloads(store: Store, client: TestClient) -> None:
    id_ = rich(store)
    told = ask(client, f"/api/attempts/{id_}")
    assert told["attempt"] == id_
    assert told["download"] == f"api/attempts/{id_}/artefacts/"
    assert ask(client, f"/api/attempts/{id_[:6]}") == told
    for name in told["artefacts"]:
        got = client.get("/" + told["download"] + name)
        assert got.status_code == 200
        assert got.headers["content-type"] == "application/octet-stream"
        assert got.headers["content-disposition"].startswith("attachment; ")
        assert got.headers["x-content-type-options"] == "nosniff"
    assert client.get("/" + told["download"] + "patch").content == PATCH
    assert client.get("/" + told["download"] + "tests/out/report.xml").content == b"<testsuites/>"


@pytest.mark.parametrize("name", ["nothing", "..%2f..%2farena.sqlite", "../../arena.sqlite", "", "%00", "patch/"])  # fmt: skip
def test_artefacts_are_found_by_name_only(store: Store, client: TestClient, name: str) -> None:
    id_ = rich(store)
    assert client.get(f"/api/attempts/{id_}/artefacts/{name}").status_code == 404


def test_a_download_with_a_hostile_name_cannot_change_headers(
    store: Store, client: TestClient
) -> None:
    store.open_run("p", [KEY], {}, "r")
    (row,) = store.rows()
    digest = store.keep(b"<script>alert(1)</script>")
    name = 'x"; filename="evil.html\r\nSet-Cookie: a=b\u202e.html'
    finish(store, row.id, evidence={"tests": {"reports": {name: digest}}})
    told = ask(client, f"/api/attempts/{row.id}")
    (shown,) = [one for one in told["artefacts"] if one.startswith("tests/x")]
    got = client.get("/" + told["download"] + quote(shown, safe="/"))
    assert got.status_code == 200
    assert "set-cookie" not in got.headers
    assert got.headers["content-disposition"].count('"') == 2
    assert "evil" in got.headers["content-disposition"]


def test_a_lost_artefact_is_told(store: Store, client: TestClient) -> None:
    id_ = rich(store)
    lost = store.attempt(id_).patch
    assert lost is not None
    store.blob_path(lost).write_bytes(b"no gzip")
    assert client.get(f"/api/attempts/{id_}/artefacts/patch").status_code == 404
    told = ask(client, f"/api/attempts/{id_}")
    assert told["patch"] is None
    assert any("what the agent left" in problem for problem in told["problems"])


@pytest.mark.slow
def test_many_clients_at_once_get_the_same(store: Store) -> None:
    many(store, tasks=20)
    addresses = ["/api/state", "/api/board", "/api/leaderboard", "/api/attempts?limit=1000"] * 6
    # entered, all of its requests are worked on by one event loop, as in a server: a limit on what is worked
    # on at a time is of one loop, and requests of several loops that wait for it are never woken
    with client_of(store) as client, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(client.get, addresses))
    assert {answer.status_code for answer in answers} == {200}
    for address in set(addresses):
        bodies = {a.content for at, a in zip(addresses, answers, strict=True) if at == address}
        if address != "/api/state":  # which tells a rate
            assert len(bodies) == 1


def test_answers_are_ascii_json_whatever_is_stored(store: Store, client: TestClient) -> None:
    id_ = rich(store)
    raw = client.get(f"/api/attempts/{id_}", headers={"Accept-Encoding": "identity"}).content
    assert raw.isascii()
    assert number(float("inf")) is None
    assert gzip.decompress(gzip.compress(raw)) == raw


def test_filters_know_all_fields() -> None:
    assert {"run", "track", "agent", "model", "prompt", "language", "project", "cwe", "label", "health"} <= set(FIELDS)  # fmt: skip


@pytest.mark.parametrize("track", ["of-a-newer-version", "../../x", "__proto__"])
def test_a_run_of_an_unknown_track_is_no_harm_to_the_others(
    store: Store, client: TestClient, track: str
) -> None:
    """A run's file may name any track, and one page shows all runs."""
    rich(store)
    ids = [attempt_id("other", AttemptKey("task", agent)) for agent in ("x", "y")]
    store.open_run("pack", [AttemptKey("task", "x"), AttemptKey("task", "y")], {}, "other", track)
    for id_ in ids:
        finish(store, id_, "NEW")
    assert set(ask(client, "/api/board")["vocabularies"]) == {"repo", track}
    told = ask(client, "/api/leaderboard", run="other")["entries"]
    assert [entry["labels"]["NEW"]["count"] for entry in told] == [1, 1]
    assert ask(client, f"/api/attempts/{ids[0]}")["label"] == "NEW"
    ask(client, "/api/compare", by="agent", a="x", b="y", run="other")
