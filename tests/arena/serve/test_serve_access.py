"""Who may ask: methods, host names, other sites, and the token."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from arena.serve.access import HEADERS, MAX_SLOWED_ANSWERS, POLICY, HostNames, make_token
from arena.serve.app import STATIC
from arena.store.store import Store
from tests.arena.serve.conftest import client_of
from tests.arena.serve.making import rich

pytestmark = pytest.mark.slow

TOKEN = "a-token-of-the-test"
EVERYWHERE = ["/", "/static/style.css", "/api/state", "/api/board", "/api/attempts", "/api/attempts/0", "/nothing", "/favicon.ico"]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("address", EVERYWHERE)
@pytest.mark.parametrize("host", ["127.0.0.1:8790", "evil.example"])
def test_every_answer_has_all_headers(client: TestClient, address: str, host: str) -> None:
    answer = client.get(address, headers={"Host": host})
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert answer.headers["content-security-policy"].startswith(
        "default-src 'none'; script-src 'self'"
    )
    assert "unsafe" not in POLICY


@pytest.mark.parametrize("address", EVERYWHERE)
def test_nothing_is_told_by_a_foreign_name(client: TestClient, address: str) -> None:
    answer = client.get(address, headers={"Host": "evil.example"})
    assert (answer.status_code, set(answer.json())) == (403, {"error"})


def test_a_fault_of_the_server_has_them_too_and_tells_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise RuntimeError("password=hunter2")

    monkeypatch.setattr(store, "runs", broken)
    client = client_of(store)
    client = TestClient(client.app, "http://127.0.0.1", raise_server_exceptions=False)
    answer = client.get("/api/state")
    assert answer.status_code == 500
    assert answer.json() == {"error": "the server failed: RuntimeError"}
    assert answer.headers["content-security-policy"] == POLICY


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"]
)
@pytest.mark.parametrize("address", ["/", "/api/state", "/static/app.js"])
def test_only_get_and_head(client: TestClient, method: str, address: str) -> None:
    answer = client.request(method, address)
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    assert client.head(address).status_code == 200


HOSTS = [
    ("127.0.0.1", (), "127.0.0.1:8790", True),
    ("127.0.0.1", (), "localhost", True),
    ("127.0.0.1", (), "LOCALHOST.:1", True),
    ("127.0.0.1", (), "[::1]:8790", True),
    ("127.0.0.1", (), "evil.example:8790", False),
    ("127.0.0.1", (), "localhost.evil.example", False),
    ("127.0.0.1", (), "10.0.0.7", False),
    ("127.0.0.1", (), "", False),
    ("127.0.0.1", (), "[::1", True),
    ("127.0.0.1", ("arena.example",), "arena.example", True),
    ("127.0.0.1", ("arena.example",), "www.arena.example", False),
    ("10.0.0.7", (), "10.0.0.7:8790", True),
    ("10.0.0.7", (), "10.0.0.8:8790", False),
    ("0.0.0.0", (), "10.0.0.8:8790", True),
    ("0.0.0.0", (), "[fe80::1]:8790", True),
    ("0.0.0.0", (), "rebound.example:8790", False),
    ("::", (), "10.0.0.8", True),
    ("machine.example", (), "machine.example:8790", True),
]


@pytest.mark.parametrize(("host", "names", "header", "allowed"), HOSTS, ids=str)
def test_a_name_that_leads_here_by_rebinding_is_refused(
    host: str, names: tuple[str, ...], header: str, allowed: bool
) -> None:
    assert HostNames(host, names).allow(header) is allowed


@given(st.text())
def test_no_host_header_is_too_strange(header: str) -> None:
    known = {"localhost", "127.0.0.1", "::1"}
    name = header.lower().strip("[]").partition(":")[0].rstrip(".")
    if HostNames("127.0.0.1").allow(header):
        assert name in known or header.lower().startswith("[::1")


@pytest.mark.slow
def test_pages_of_other_sites_get_nothing(client: TestClient) -> None:
    other = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert client.get("/api/state", headers=other).status_code == 403
    assert client.get("/static/app.js", headers=other).status_code == 403
    linked = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=linked).status_code == 200
    assert client.get("/api/state", headers=linked).status_code == 403
    assert client.get("/api/state", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200


# the token


@pytest.mark.slow
@pytest.mark.parametrize("address", EVERYWHERE)
def test_nothing_is_told_without_the_token(store: Store, address: str) -> None:
    rich(store)
    client = client_of(store, TOKEN)
    for headers in ({}, {"Authorization": TOKEN}, {"Authorization": "Basic " + TOKEN}, {"Cookie": "arena_serve_8790=" + TOKEN}):  # fmt: skip
        answer = client.get(address, headers=headers)
        assert answer.status_code == 401, headers
        assert "token" in answer.json()["error"]


def test_a_bearer_may_ask(store: Store) -> None:
    client = client_of(store, TOKEN)
    assert client.get("/api/state", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert (
        client.get("/api/state", headers={"Authorization": f"bearer  {TOKEN}"}).status_code == 200
    )


def test_the_token_becomes_a_cookie_and_leaves_the_address(store: Store) -> None:
    client = client_of(store, TOKEN)
    answer = client.get("/", params={"token": TOKEN, "x": "1"})
    assert (answer.status_code, answer.headers["location"]) == (303, "./?x=1")
    cookie = answer.headers["set-cookie"]
    assert re.fullmatch(r"arena_serve_8790=[0-9a-f]{64}; HttpOnly; Path=/; SameSite=strict", cookie)
    assert TOKEN not in cookie
    assert client.get("/").status_code == 200  # the client keeps cookies
    assert client.get("/api/state").status_code == 200
    assert client_of(store, TOKEN + "2").get("/api/state", headers={"Cookie": cookie.partition(";")[0]}).status_code == 401  # fmt: skip


def test_behind_tls_the_cookie_is_for_tls_only(store: Store) -> None:
    client = client_of(store, TOKEN)
    answer = client.get("/", params={"token": TOKEN}, headers={"X-Forwarded-Proto": "https"})
    assert "Secure" in answer.headers["set-cookie"]


def test_only_the_first_page_takes_the_token_in_its_address(store: Store) -> None:
    client = client_of(store, TOKEN)
    assert client.get("/api/state", params={"token": TOKEN}).status_code == 401


@pytest.mark.slow
def test_a_wrong_token_waits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.serve.access.WRONG_TOKEN_DELAY_S", 0.5)
    client = client_of(store, TOKEN)
    begun = time.monotonic()
    assert client.get("/", params={"token": "wrong"}).status_code == 401
    assert client.get("/api/state", headers={b"Authorization": b"Bearer \xff"}).status_code == 401
    assert time.monotonic() - begun > 0.99


@pytest.mark.nightly("waits for a limit to end it")
@pytest.mark.slow
def test_many_wrong_tokens_do_not_lock_the_right_one_out(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.serve.access.WRONG_TOKEN_DELAY_S", 4.0)
    transport = httpx.ASGITransport(client_of(store, TOKEN).app)

    async def ask() -> tuple[int, list[int]]:
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            addresses = ["/?token=wrong"] * (2 * MAX_SLOWED_ANSWERS)
            wrong = [asyncio.create_task(client.get(address)) for address in addresses]
            await asyncio.sleep(0.1)
            good = await client.get("/favicon.ico", headers={"Authorization": f"Bearer {TOKEN}"})
            assert not all(task.done() for task in wrong)
            return good.status_code, [(await task).status_code for task in wrong]

    good, wrong = asyncio.run(ask())
    assert good == 204
    assert (wrong.count(401), wrong.count(429)) == (MAX_SLOWED_ANSWERS, MAX_SLOWED_ANSWERS)


def test_a_token_is_made_where_others_can_reach_the_server() -> None:
    assert make_token("", "127.0.0.1") == make_token("", "localhost") == make_token("", "::1") == ""
    assert len(make_token("", "0.0.0.0")) >= 32
    assert make_token("", "0.0.0.0") != make_token("", "0.0.0.0")
    assert make_token("", "10.0.0.7")
    assert make_token("", "machine.example")
    assert make_token(TOKEN, "127.0.0.1") == TOKEN


@pytest.mark.parametrize("given_", ["short", "with a line\nend and more", "ümlaute sind es nicht"])
def test_a_poor_token_is_refused(given_: str) -> None:
    with pytest.raises(ValueError, match="ARENA_SERVE_TOKEN: at least 16 printable ASCII"):
        make_token(given_, "127.0.0.1")


# files of the page


def test_all_files_of_the_page_are_served_and_no_others(client: TestClient) -> None:
    for path in STATIC.iterdir():
        answer = client.get(f"/static/{path.name}")
        assert answer.status_code == 200
        assert answer.content == path.read_bytes()
    for path in Path(STATIC.parent).glob("*.py"):
        assert client.get(f"/static/{path.name}").status_code == 404


@pytest.mark.parametrize("address", [
    "/static/../data.py", "/static/..%2fdata.py", "/static/%2e%2e/data.py", "/static//etc/passwd",
    "/static/%2fetc%2fpasswd", "/..%2f..%2f..%2fetc%2fpasswd", "/static/app.js%00.css", "/static/", "/static",
    "/static/..\\data.py", "/static/app.js/", "/__init__.py",
])  # fmt: skip
def test_no_path_leads_out_of_the_page(client: TestClient, address: str) -> None:
    assert client.get(address).status_code == 404
