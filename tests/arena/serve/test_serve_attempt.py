"""An attempt in a browser: from a frame to its line, to other attempts, side by side, what to copy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.store.model import AttemptKey, TaskFacts, attempt_id
from arena.store.store import Store
from harness.gateway.dialects import Call
from harness.gateway.record import RecordWriter
from harness.grade.verdict import Label
from parsers.registry import lookup
from tests.arena.serve.conftest import Serve, client_of
from tests.arena.serve.making import KEY, PATCH, atif, evidence_of, finish, rich
from tests.arena.serve.test_serve_browser import PATIENCE, Watched

CHAT = lookup("harness.gateway.dialects", "chat")
OTHER = AttemptKey(KEY.task, "aider", "some/model", "neutral", 0)
GOLD = b"--- a/src/codec.c\n+++ b/src/codec.c\n@@ -1 +1 @@\n-int a; // old\n+int b; // gold\n"


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    made = Watched(browser, viewport={"width": 1400, "height": 900})
    yield made
    made.page.context.close()
    assert made.complaints == []


def pair(store: Store) -> tuple[str, str]:
    """An attempt of which all is known, and another at its task in the same run."""
    id_ = rich(store)
    run = store.open_run("starter", [OTHER], {}, "rich", "repo")
    other = attempt_id(run, OTHER)
    finish(store, other, Label.CS, GOLD, usd=0.25, reason="a finding")
    return id_, other


@pytest.mark.nightly("a view of its own in a browser")
def test_frames_findings_and_logs_lead_to_lines_of_the_patch(
    store: Store, serve: Serve, watched: Watched
) -> None:
    id_ = rich(store)
    page = watched.open(serve("--port", "0").url, id_)
    frames = page.locator("ol.frames li")
    assert frames.nth(1).locator("a").count() == 0, "the target is not in the patch"
    frames.nth(0).get_by_role("link").click()
    expect(page.locator("#part-L0-13")).to_be_focused()
    assert "strcpy(out, in);" in page.locator("#part-L0-13").inner_text()
    assert "part=L0-13" in page.url
    for section in ("SAST", "Crash"):
        links = page.locator(f"section[aria-label={section}] a").evaluate_all("(a) => a.map((e) => e.hash)")  # fmt: skip
        assert links and all(link.endswith("part=L0-13") for link in links), section
    lost = page.locator("section[aria-label=Tests] li", has_text="decode.long")
    assert lost.get_by_role("link").inner_text() == "line 12 of the patch"


@pytest.mark.nightly("a view of its own in a browser")
def test_many_lost_tests_and_a_long_patch_do_not_hold_up_the_page(
    store: Store, serve: Serve, watched: Watched
) -> None:
    """An imported run may name any tests: their words times the lines of the patch must not be walked."""
    added = b"".join(b"+int codec_value_%d = old_value_%d;\n" % (n, n) for n in range(20_000))
    patch = b"--- a/x.c\n+++ b/x.c\n@@ -0,0 +1,20000 @@\n" + added
    names = [" ".join(f"word{n}x{k}" for k in range(100)) for n in range(199)]
    run = store.open_run("starter", [KEY], {}, "many", "repo")
    id_ = attempt_id(run, KEY)
    tests = {"not_passed": {"failed": [*names, "codec_value_7"]}}
    finish(store, id_, Label.IC, patch, evidence=evidence_of(store) | {"tests": tests})
    page = watched.open(serve("--port", "0").url, id_)
    links = page.locator("section[aria-label=Tests] li a").all_inner_texts()
    assert links == ["line 8 of the patch"]


@pytest.mark.nightly("a view of its own in a browser")
def test_an_address_leads_to_a_part(store: Store, serve: Serve, watched: Watched) -> None:
    id_ = rich(store)
    url = serve("--port", "0").url
    page = watched.page
    page.goto(f"{url}#attempt={id_}&part=trajectory")
    expect(page.get_by_role("heading", name="Trajectory")).to_be_focused()
    page.goto(f"{url}#attempt={id_}&part=step-3")
    expect(page.locator("#part-step-3 summary").first).to_be_focused()
    page.goto(f"{url}#attempt={id_}&part=nosuch")
    page.wait_for_selector(".attempt")


@pytest.mark.nightly("a view of its own in a browser")
def test_code_has_colours_and_is_still_all_of_the_code(
    store: Store, serve: Serve, watched: Watched
) -> None:
    page = watched.open(serve("--port", "0").url, rich(store))
    spans = page.locator("td.source span[class^=tok-]").evaluate_all("(a) => a.map((e) => [e.className, e.textContent])")  # fmt: skip
    assert ["tok-k", "return"] in spans and ["tok-c", "/* as long as it fits */"] in spans
    lines = page.locator("tr.added td.source").all_inner_texts()
    wanted = [line[1:] for line in PATCH.decode().split("\n") if line.startswith("+") and line[1] != "+"]  # fmt: skip
    assert [line.partition("+")[2].strip() for line in lines] == [line.strip() for line in wanted]


@pytest.mark.nightly("a view of its own in a browser")
def test_two_attempts_stand_side_by_side(store: Store, serve: Serve, watched: Watched) -> None:
    id_, other = pair(store)
    page = watched.open(serve("--port", "0").url, id_)
    page.get_by_label("Beside it", exact=True).select_option(other)
    page.locator(".beside").wait_for()
    facts = page.get_by_role("table", name="This attempt and the one beside it").inner_text()
    assert "label\tCV\tCS" in facts and "cost\t0.50 USD\t0.25 USD" in facts
    assert "steps\t4\t\u2013" in facts
    boxes = [page.locator(".beside > section").nth(n).bounding_box() for n in range(2)]
    assert boxes[0] and boxes[1] and boxes[0]["y"] == boxes[1]["y"], "beside, not below"
    assert "int b; // gold" in page.locator(".beside > section").nth(1).inner_text()
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    assert f"beside={other}" in page.url


@pytest.mark.nightly("a view of its own in a browser")
def test_gold_and_the_fixed_patch_come_from_the_pack(
    store: Store, serve: Serve, watched: Watched
) -> None:
    key = AttemptKey("brook-include", "aider")
    run = store.open_run("starter", [key], {}, "known")
    finish(store, attempt_id(run, key), Label.CV)
    page = watched.open(serve("--port", "0").url, attempt_id(run, key))
    for name in ("gold", "fixed"):
        page.get_by_label("Beside it", exact=True).select_option(name)
        page.get_by_role("region", name=f"Patch: {name}").wait_for()


@pytest.mark.slow
def test_no_pack_is_read_of_a_run_that_came_from_elsewhere(store: Store, tmp_path: Path) -> None:
    from arena.report.detail import detail

    key = AttemptKey("brook-include", "aider")
    store.open_run("starter", [key], {}, "known")
    made = store.attempts("known")[0]
    assert set(detail(store, made.id)["references"]) == {"gold", "fixed"}
    elsewhere = Store(tmp_path / "other")
    row = {"id": "known", "pack": "starter", "track": "repo", "settings": {}, "created": 1.0}
    elsewhere.put_run(row, [TaskFacts(key.task)], [key], [made])
    assert detail(elsewhere, made.id)["references"] == {}


@pytest.mark.nightly("a view of its own in a browser")
def test_previous_and_next_follow_the_list(store: Store, serve: Serve, watched: Watched) -> None:
    id_, other = pair(store)
    url = serve("--port", "0").url
    page: Page = watched.page
    page.goto(f"{url}#order=usd&attempt={other}")
    page.get_by_role("navigation", name="Other attempts").get_by_text("1 of 2").wait_for()
    assert page.get_by_role("link", name="← Previous").count() == 0
    page.get_by_role("link", name="Next →").click()
    page.get_by_role("navigation", name="Other attempts").get_by_text("2 of 2").wait_for()
    assert f"attempt={id_}" in page.url
    listed = page.locator("section[aria-label='Others at this task']")
    assert "CS" in listed.inner_text()
    listed.get_by_role("link", name="CS aider some/model", exact=True).click()
    page.get_by_text("1 of 2").wait_for()


@pytest.mark.nightly("a view of its own in a browser")
def test_downloads_tell_their_size_and_lines_can_be_copied(
    store: Store, serve: Serve, browser: Browser
) -> None:
    id_ = rich(store)
    url = serve("--port", "0").url
    seen = Watched(browser, permissions=["clipboard-read", "clipboard-write"])
    page = seen.open(url, id_)
    assert f"patch ({len(PATCH)} bytes)" in page.locator(".downloads").inner_text()
    line = f"arena tasks shell codec-1 --pack starter --patch {id_}"
    page.get_by_role("button", name=f"Copy {line}").click()
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == line
    page.context.close()


@pytest.mark.nightly("a view of its own in a browser")
def test_an_artefact_that_is_gone_is_told(store: Store, serve: Serve, watched: Watched) -> None:
    id_ = rich(store)
    store.blob_path(store.attempt(id_).patch or "").unlink()
    page = watched.open(serve("--port", "0").url, id_)
    assert "what the agent left cannot be read (KeyError)" in page.locator(".attempt").inner_text()
    assert "patch (gone)" in page.locator(".downloads").inner_text()


@pytest.mark.nightly("a view of its own in a browser")
def test_steps_are_chosen_by_kind_and_words(store: Store, serve: Serve, watched: Watched) -> None:
    page = watched.open(serve("--port", "0").url, rich(store))
    steps = page.locator(".steps > li:not([hidden])")
    assert steps.count() == 4
    page.get_by_label("Steps", exact=True).select_option("tool")
    page.get_by_text("3 of 4 steps").wait_for()
    page.get_by_label("Search these steps").fill("step 3:")
    page.get_by_text("1 of 4 steps").wait_for()
    assert steps.count() == 1
    bars = page.locator(".timeline a")
    assert bars.count() == 4
    assert "0.010 USD, 0.030 USD so far" in (bars.nth(3).get_attribute("aria-label") or "")


@pytest.mark.nightly("a view of its own in a browser")
@pytest.mark.slow
def test_lines_of_ten_megabytes_are_cut_and_searched_all_the_same(
    store: Store, serve: Serve, watched: Watched
) -> None:
    from arena.report.details.texts import texts_of

    huge = "a.c:1 \u202e\x1b[31m<b>" + "x" * 10_000_000
    key = AttemptKey("codec-1", "huge")
    run = store.open_run("starter", [key], {}, "huge")
    id_ = attempt_id(run, key)
    evidence = evidence_of(store)
    evidence["build"] |= {"log": store.keep(huge.encode())}
    told = atif(3)
    told["steps"][1]["message"] = huge
    told["steps"][2]["tool_calls"][0]["arguments"] = {"command": huge}
    patch = f"--- a/a.c\n+++ b/a.c\n@@ -0,0 +1,2 @@\n+{huge[:99_999]}\n+{huge}\n".encode()
    finish(store, id_, Label.CV, patch, evidence, json.dumps(told).encode())
    assert len(client_of(store).get(f"/api/attempts/{id_}").content) < 4_000_000
    page = watched.open(serve("--port", "0").url, id_)
    text = page.locator(".attempt").inner_text()
    assert "more characters]" in text and "are not shown, download it for all" in text
    assert page.locator(".attempt b b, .attempt pre b").count() == 0
    assert sum(len(one.text) for one in texts_of(store, store.attempt(id_))) < 100_000
    store.index(run, lambda attempt: texts_of(store, attempt), 9)
    found, left = store.search(run, "31m b")
    assert (sorted(one.step for one in found), left) == ([2, 3], 0)


def recorded(store: Store, folder: Path) -> str:
    """An attempt whose first call of a model is recorded."""
    writer = RecordWriter(folder / "record", ())
    call = Call(CHAT, {"messages": [{"role": "user", "content": "<b>hi</b>"}]}, 2)
    writer.record_request(call)
    writer.close()
    key = AttemptKey("codec-1", "mini")
    run = store.open_run("starter", [key], {}, "recorded")
    id_ = attempt_id(run, key)
    evidence = evidence_of(store)
    told = json.dumps(atif(3)).encode()
    finish(store, id_, Label.CV, evidence=evidence, trajectory=told)
    row = store.attempt(id_).evidence
    kept = {**row["artefacts"], "record": store.keep((folder / "record").read_bytes())}
    store.set_flags(id_, (), {"artefacts": kept})
    return id_


@pytest.mark.nightly("a view of its own in a browser")
def test_a_call_is_shown_as_it_went_over_the_wire(
    store: Store, serve: Serve, watched: Watched, tmp_path: Path
) -> None:
    id_ = recorded(store, tmp_path)
    client = client_of(store)
    told = client.get(f"/api/attempts/{id_}/calls/2").json()
    assert json.loads(told["request"]["text"])["messages"][0]["content"] == "<b>hi</b>"
    assert client.get(f"/api/attempts/{id_}/calls/3").status_code == 404
    assert client.get(f"/api/attempts/{id_}/calls/x").status_code == 400
    page = watched.open(serve("--port", "0").url, id_)
    page.set_default_timeout(PATIENCE)
    page.locator("#part-step-2 summary").first.click()
    page.get_by_text("Request and response of call 2").click()
    page.get_by_text("<b>hi</b>").wait_for()
