"""`arena serve` as a process: its address, its token, its end, and answers while a sweep writes."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from arena.serve.server import AddressUnusable, listen
from arena.store.store import Store
from harness.grade.verdict import Label
from tests.arena.serve.conftest import PATIENCE, START, Serve
from tests.arena.serve.making import many, rich

pytestmark = pytest.mark.rotating(2)

WRITER = """
import sys
from arena.store.model import AttemptKey, attempt_id
from arena.store.store import Store
from tests.arena.serve.making import finish
store = Store(sys.argv[1])
keys = [AttemptKey(f"t{n}", "aider", "m") for n in range(300)]
store.open_run("pack", keys, {}, "going")
with store.lease("going"):
    print("begun", flush=True)
    for number, key in enumerate(keys):
        if number == 150:
            sys.stdin.readline()
        finish(store, attempt_id("going", key), "C&S")
"""


@pytest.mark.slow
def test_it_tells_where_it_is_and_answers(store: Store, serve: Serve) -> None:
    id_ = rich(store)
    served = serve("--port", "0")
    assert served.told["token"] is None
    assert served.told["store"] == store.display
    assert served.url == f"http://127.0.0.1:{served.told['port']}/"
    assert httpx.get(served.url + f"api/attempts/{id_}", timeout=PATIENCE).json()["attempt"] == id_
    assert httpx.get(served.url, timeout=PATIENCE).headers["content-type"].startswith("text/html")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(store: Store, serve: Serve, number: int) -> None:
    served = serve("--port", "0")
    with socket.create_connection(("127.0.0.1", served.told["port"])):  # a client that stays
        assert httpx.get(served.url + "api/state", timeout=PATIENCE).status_code == 200
        assert served.end(number) == 0
    assert served.process.stderr is not None
    told = served.process.stderr.read()
    assert told.splitlines()[-1] == "ended"
    assert "Traceback" not in told


@pytest.mark.slow
def test_beyond_loopback_a_token_is_asked(store: Store, serve: Serve) -> None:
    served = serve("--port", "0", "--host", "0.0.0.0")
    token = served.told["token"]
    assert len(token) >= 32
    address = f"http://127.0.0.1:{served.told['port']}/"
    assert served.url == f"{address}?token={token}"
    assert httpx.get(address + "api/state", timeout=PATIENCE).status_code == 401
    with httpx.Client(follow_redirects=True, timeout=PATIENCE) as client:
        answer = client.get(served.url)
        assert (answer.status_code, str(answer.url)) == (200, address)
        assert client.get(address + "api/state").status_code == 200


@pytest.mark.slow
def test_a_token_of_the_environment_is_not_printed(store: Store, serve: Serve) -> None:
    secret = "a-secret-of-the-environment"
    served = serve("--port", "0", ARENA_SERVE_TOKEN=secret)
    assert secret not in str(served.told)
    state = served.url + "api/state"
    assert httpx.get(state, timeout=PATIENCE).status_code == 401
    bearer = {"Authorization": f"Bearer {secret}"}
    assert httpx.get(state, headers=bearer, timeout=PATIENCE).status_code == 200
    served.end()
    assert served.process.stderr is not None
    assert secret not in served.process.stderr.read()


@pytest.mark.slow
def test_a_port_in_use_is_one_line(store: Store) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-c", START, "--store", str(store.folder), "--port", str(port)]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    assert done.returncode == 2
    assert done.stderr == f"arena: port {port} of 127.0.0.1 is in use; --port 0 takes a free one\n"


def test_an_address_that_is_none_is_told() -> None:
    with pytest.raises(AddressUnusable, match=r"--host no\.such\.host\.invalid: no such address"):
        listen("no.such.host.invalid", 0)
    with pytest.raises(AddressUnusable, match=r"cannot listen on 203\.0\.113\.7:0"):
        listen("203.0.113.7", 0)


@pytest.mark.nightly("kills and restarts processes, or waits for a service to come back")
@pytest.mark.slow
def test_it_answers_while_a_sweep_writes(store: Store, serve: Serve) -> None:
    many(store, tasks=2)
    served = serve("--port", "0")
    command = [sys.executable, "-c", WRITER, str(store.folder)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    writer = subprocess.Popen(command, **pipes, cwd=Path(__file__).parents[3])
    assert writer.stdin is not None
    assert writer.stdout is not None
    assert writer.stdout.readline() == "begun\n"
    done, states, until = [0], set(), time.monotonic() + PATIENCE
    with httpx.Client(base_url=served.url, timeout=PATIENCE) as client:
        while writer.poll() is None or done[-1] < 300:
            assert time.monotonic() < until, (done, states)
            answers = [client.get(a) for a in ("api/state", "api/board", "api/attempts?run=going")]
            assert [answer.status_code for answer in answers] == [200, 200, 200]
            (run,) = [one for one in answers[0].json()["runs"] if one["run"] == "going"]
            done.append(run["done"])
            states.add(run["state"])
            if "running" in states and not writer.stdin.closed:
                writer.stdin.close()  # the second half, not before it was seen at work
            time.sleep(0.2)
        labels = run["labels"]
    writer.stdout.close()
    assert writer.wait() == 0
    assert done == sorted(done)
    assert labels == {Label.SECURE: 300}
    assert "running" in states
