"""In a real browser: hostile content is shown as text, runs nothing, and reaches no other place."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Browser, Dialog, Page

from arena.store.model import AttemptKey, TaskFacts
from arena.store.store import Store
from harness.grade.verdict import Label
from tests.arena.serve.conftest import Serve
from tests.arena.serve.making import atif, evidence_of, finish, rich

PATIENCE = 60_000
ATTACKS = (
    "<script>window.hit=1;alert(1)</script>",
    "<img src=//evil.example/x onerror=window.hit=1>",
    "\"'><svg onload=window.hit=1>",
    "javascript:window.hit=1",
    "</script><style>@import url(//evil.example/y)</style>",
    "{{7*7}}${window.hit=1}<!--",
    "safe\u202e gnp.exe \u2066\u200b\ufeff\u2028",
    "\x1b]0;title\x07\x1b[31mred\x00\x9b",
    "</textarea></title></pre><iframe srcdoc='<script>parent.hit=1</script>'>",
    "a\udcffb" + "w" * 5000,
)
HOSTILE = " ".join(ATTACKS)


class Watched:
    """A page, and all that it asked for, complained of, or opened."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        self.page: Page = browser.new_context(**options).new_page()
        self.page.set_default_timeout(PATIENCE)
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda said: self.complaints.append(f"{said.type}: {said.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._refuse)
        self.page.on("popup", lambda _: self.complaints.append("popup"))

    def _refuse(self, dialog: Dialog) -> None:
        self.complaints.append("dialog")
        dialog.dismiss()

    def open(self, url: str, attempt: str) -> Page:
        self.page.goto(f"{url}#attempt={attempt}")
        self.page.wait_for_selector(".attempt")
        return self.page

    def others(self, url: str) -> list[str]:
        """Requests that did not go to the server."""
        own = urlparse(url).netloc
        return [asked for asked in self.asked if urlparse(asked).netloc not in ("", own)]


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    made = Watched(browser)
    yield made
    made.page.context.close()


def hostile(store: Store) -> str:
    """An attempt in which every text that can come from outside is an attack."""
    text = HOSTILE.encode("utf-8", "backslashreplace").decode()
    name = text.replace("\0", "")  # which the store refuses in a key
    key = AttemptKey("task " + name[:150], "command:" + name[:900], "model", "neutral")
    facts = TaskFacts(key.task, text, "c", text[:150], "", ("CWE-79",), text, text)
    store.open_run("pack " + name[:150], [key], {}, "evil", "repo", [facts])
    (row,) = store.rows(["evil"])
    log = store.keep(text.encode())
    evidence = evidence_of(store)
    finding = {
        "rule": text,
        "path": "a.c",
        "line": 1,
        "message": text,
        "severity": text,
        "cwe": [text],
    }
    evidence["sast"] |= {"findings": [finding, {**finding, "path": text}], "tool": text, "not_scanned": [{"path": text, "reason": text}]}  # fmt: skip
    evidence["tests"] |= {"log": log, "problems": [text], "not_passed": {text: [text]}, "unstable": [text], "reports": {text: log}}  # fmt: skip
    evidence["poc"] |= {"report": log, "log": log, "crash": {"kind": text, "access": text, "frames": [text]}}  # fmt: skip
    evidence["build"] |= {"log": log, "tail": text, "stopped": text}
    evidence["audit"] = [{"name": text, "severity": text, "step": 2, "quote": text, "why": text}]
    evidence[text] = {text: [text]}
    lines = [line for attack in ATTACKS for line in attack.encode("utf-8", "replace").split(b"\n")]
    patch = b"diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -0,0 +1,%d @@ %s\n" % (
        len(lines),
        lines[0],
    )
    patch += b"".join(b"+" + line + b"\n" for line in lines)
    told = atif(3)
    for step in told["steps"][1:]:
        step |= {"message": text, "reasoning_content": text, "source": "agent", "timestamp": text, "extra": {"error": text}}  # fmt: skip
        step["tool_calls"][0] |= {
            "function_name": text,
            "arguments": {text: text, "deep": {text: [text]}},
        }
        step["observation"]["results"][0]["content"] = text
    told["agent"] = {"name": text, "version": text}
    usage = {text: text, "claimed": {text: text}}
    finish(store, row.id, Label.CV, patch, evidence, json.dumps(told).encode(), reason=text, usage=usage, flags=[text[:60]])  # fmt: skip
    return row.id


def open_all(page: Page) -> None:
    """Opens every part of the page, also those that parts hold."""
    for _ in range(4):
        page.evaluate(
            "document.querySelectorAll('.attempt details').forEach((one) => (one.open = true))"
        )
        page.wait_for_timeout(150)


def test_hostile_content_runs_nothing(store: Store, serve: Serve, watched: Watched) -> None:
    id_ = hostile(store)
    served = serve("--port", "0")
    page = watched.open(served.url, id_)
    open_all(page)
    assert page.evaluate("window.hit") is None
    assert watched.others(served.url) == []
    assert watched.complaints == []
    made = page.evaluate(
        "[...document.querySelectorAll('.attempt *')].map((one) => [one.localName, one.getAttributeNames()])"
    )
    assert not {"script", "img", "iframe", "style", "object", "form"} & {name for name, _ in made}
    assert not [
        names for _, names in made if {"style", "src", "srcdoc", "onload", "onerror"} & set(names)
    ]
    links = page.evaluate(
        "[...document.querySelectorAll('.attempt a')].map((one) => new URL(one.getAttribute('href'), location).href)"
    )
    assert links
    own = (f"{served.url}api/attempts/{id_}/artefacts/", f"{served.url}#attempt={id_}")
    assert all(link.startswith(own) for link in links)
    text = page.evaluate("document.querySelector('.attempt').textContent")
    assert text.count("<script>window.hit=1;alert(1)</script>") > 20
    assert not set(text) & set("\u202e\u2066\u200b\ufeff\u2028\x1b\x00\x07\x9b")
    assert "U+202E" in text
    assert page.title().startswith("Attempt ")


def test_the_policy_stops_what_would_get_through(
    store: Store, serve: Serve, watched: Watched
) -> None:
    """Should the page ever make an element of hostile text, nothing of it runs or leaves."""
    served = serve("--port", "0")
    page = watched.open(served.url, rich(store))
    page.evaluate("""() => {
        const place = document.createElement('div');
        place.innerHTML = `<img src="//evil.example/x" onerror="window.hit=1"><iframe src="//evil.example/y"></iframe>`;
        document.body.append(place);
        const script = document.createElement('script');
        script.textContent = 'window.hit=1';
        document.body.append(script);
        fetch('//evil.example/z').catch(() => null);
    }""")
    page.wait_for_timeout(300)
    until = time.monotonic() + PATIENCE / 1000
    while not stopped(watched) and time.monotonic() < until:
        page.wait_for_timeout(50)
    assert page.evaluate("window.hit") is None
    assert stopped(watched)


def stopped(watched: Watched) -> bool:
    return any("Content Security Policy" in said for said in watched.complaints)


@pytest.mark.nightly("a view of its own in a browser")
def test_a_detail_shows_all_its_parts(store: Store, serve: Serve, watched: Watched) -> None:
    id_ = rich(store)
    served = serve("--port", "0")
    page = watched.open(served.url, id_)
    headings = page.locator(".attempt h3").all_text_contents()
    assert headings == ["Flags", "Facts", "Instruction", "Patch", "Build", "Tests", "Crash", "SAST", "Trajectory", "Evidence", "Downloads", "Commands"]  # fmt: skip
    finding = page.locator("tr.finding")
    assert finding.count() == 1
    assert "strcpy does not know" in finding.inner_text()
    above = page.evaluate("document.querySelector('tr.finding').previousElementSibling.textContent")
    assert "strcpy(out, in);" in above
    assert "13" in above
    assert page.locator(".steps > li").count() == 4
    assert "0.030 USD so far" in page.locator(".steps > li").nth(3).inner_text()
    assert "This is the historical vulnerability" in page.locator(".attempt").inner_text()
    assert watched.complaints == []


@pytest.mark.nightly("a view of its own in a browser")
def test_the_keyboard_reaches_and_opens_parts(store: Store, serve: Serve, watched: Watched) -> None:
    served = serve("--port", "0")
    page = watched.open(served.url, rich(store))
    page.get_by_role("link", name="Trajectory", exact=True).focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Trajectory"
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.localName") == "summary":
            break
    assert page.evaluate("document.activeElement.localName") == "summary"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open") is True


@pytest.mark.nightly("a view of its own in a browser")
def test_downloads_are_saved_and_whole(store: Store, serve: Serve, watched: Watched) -> None:
    id_ = rich(store)
    served = serve("--port", "0")
    page = watched.open(served.url, id_)
    with page.expect_download() as saved:
        page.get_by_role("link", name="patch", exact=True).click()
    assert saved.value.path().read_bytes().startswith(b"diff --git a/src/codec.c")
    with page.expect_download() as saved:
        page.get_by_role("button", name="All of this as JSON").click()
    assert json.loads(saved.value.path().read_text())["attempt"] == id_


def test_a_browser_with_the_token_sees_the_page(
    store: Store, serve: Serve, watched: Watched
) -> None:
    id_ = rich(store)
    served = serve("--port", "0", "--host", "0.0.0.0")
    watched.page.goto(served.url)
    watched.page.wait_for_selector("#filters *", state="attached")
    assert "token" not in watched.page.url
    watched.open(watched.page.url.partition("#")[0], id_)
    assert watched.page.evaluate("document.cookie") == ""
    assert watched.complaints == []
