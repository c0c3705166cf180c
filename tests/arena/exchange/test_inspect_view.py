"""`inspect view` of Inspect's own package shows our logs in a browser."""

from __future__ import annotations

import json
import socket
import subprocess
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from arena.store.store import Store
from tests.arena.exchange.making import a_run, exported
from tests.arena.exchange.outside import environment
from tests.arena.exchange.test_inspect_frames import a_measured_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WAIT_MS = 120_000


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
        return port


@contextmanager
def viewer(logs: Path) -> Iterator[str]:
    """The address of a viewer of a folder of logs."""
    port = free_port()
    argv = [environment("inspect", "3.11") / "inspect", "view", "start", "--log-dir", logs]
    process = subprocess.Popen(
        [*argv, "--port", str(port), "--display", "none"], stdout=subprocess.DEVNULL, cwd=logs
    )
    try:
        for _ in range(120):
            assert process.poll() is None, "the viewer has ended"
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(1)
        yield f"http://127.0.0.1:{port}/#/tasks/"
    finally:
        process.terminate()
        process.wait(60)


def show(page: Page, address: str, *texts: str) -> str:
    """The page's text once all these texts are on it."""
    page.goto(address)
    for text in texts:
        page.get_by_text(text).first.wait_for(timeout=WAIT_MS)
    return page.inner_text("body")


def test_no_two_logs_are_of_one_task(store: Store, tmp_path: Path) -> None:
    a_run(store)
    exported(store, "inspect", tmp_path / "logs")
    ids = []
    for path in (tmp_path / "logs").iterdir():
        with zipfile.ZipFile(path) as log:
            ids.append(json.loads(log.read("header.json"))["eval"]["task_id"])
    assert len(ids) == 2 and len(set(ids)) == 2


def test_a_score_says_whether_it_is_a_success(store: Store, tmp_path: Path) -> None:
    a_measured_run(store)
    exported(store, "inspect", tmp_path / "logs")
    scores = {}
    for path in (tmp_path / "logs").iterdir():
        with zipfile.ZipFile(path) as log:
            for sample in json.loads(log.read("summaries.json")):
                for score in [sample["scores"].get("label", {})]:
                    scores[sample["id"], sample["epoch"]] = (
                        score.get("value"),
                        score.get("metadata"),
                    )
    assert scores == {
        ("alpha", 1): ("C&S", {"success": True}),
        ("alpha", 2): ("CV", {"success": False}),
        ("alpha", 3): (None, None),
        ("beta", 1): ("CV", {"success": False}),
    }


@pytest.mark.nightly("installs Inspect and opens a browser")
def test_the_viewer_shows_logs_samples_and_messages(
    store: Store, tmp_path: Path, browser: Browser
) -> None:
    a_measured_run(store)
    exported(store, "inspect", tmp_path / "logs")
    (log,) = (tmp_path / "logs").glob("*aider*")
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    with viewer(tmp_path / "logs") as address:
        rows = show(page, address, "repo-starter", "openai/m", "2 rows")
        assert "0.5" in rows and "0.0" in rows
        samples = f"{address}{quote(log.name)}/samples"
        table = show(page, samples, "3 rows", "completed due to exceeding a limit").split()
        assert [word for word in table if word in ("C&S", "CV", "I", "C")] == [
            *("C&S", "C&S", "C"),  # the target, the label, and whether it is good
            *("C&S", "CV", "I"),
            "C&S",  # no label: the machine was lost
        ]
        sample = show(page, f"{samples}/sample/alpha/2/messages", "I look.", "Limit: cost")
        assert "x.c ?" in sample and "No answer to call 2: status 500" in sample
    assert errors == []
