"""The forms in which the page is written, and what its own text may hold."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from arena.cli import report
from arena.cli.report import write_page
from arena.report.board import page as page_module
from arena.report.board.bundle import STATIC, bundle_modules
from arena.report.board.data import board
from arena.report.board.page import write_file, write_folder
from arena.store.store import AttemptKey, Store, attempt_id
from tests.arena.board.making import many
from tests.arena.conftest import finish

MARKUP = (
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc"
    r"|createContextualFragment|DOMParser|setHTML|javascript:"
)
MODULES = sorted(STATIC.glob("*.js"))


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return board(many(60), [], live=False)


class Elements(HTMLParser):
    """Elements with their attributes and the text in each."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), []))

        self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.found[-1][2].append(data)

    def of(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attributes, "".join(text)) for name, attributes, text in self.found if name == tag]


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_modules_make_no_markup_out_of_text(module: Path) -> None:
    assert not re.findall(MARKUP, module.read_text("utf-8"))


def test_the_frame_has_no_inline_style_script_or_foreign_address() -> None:
    elements = Elements((STATIC / "index.html").read_text("utf-8"))
    for tag, attributes, text in elements.found:
        assert not [name for name in attributes if name == "style" or name.startswith("on")]
        assert tag not in ("script", "style") or not "".join(text).strip()
        for name in ("src", "href"):
            assert re.match(r"static/|#|data:,$", attributes.get(name) or "#")


@pytest.mark.slow
def test_one_file_allows_just_its_own_script_and_style(
    tmp_path: Path, data: dict[str, Any]
) -> None:
    text = write_file(tmp_path / "page.html", data, ()).path.read_text("utf-8")
    elements = Elements(text)
    (policy,) = (a["content"] for a, _ in elements.of("meta") if "http-equiv" in a)
    ((_, style),) = elements.of("style")
    script, *blocks = elements.of("script")
    for directive, content in (("script-src", script[1]), ("style-src", style)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}';" in (policy or "")
    assert (policy or "").startswith("default-src 'none';")
    assert [attributes["type"] for attributes, _ in blocks] == ["application/octet-stream"]
    assert not [a for _, a, _ in elements.found if "src" in a or (a.get("href") or "#")[0] != "#"]
    assert not re.search(r"@import|url\((?!#)", style)


def unpacked(text: str, name: str) -> Any:
    found = re.search(rf'id="{name}">([^<]*)<', text)
    assert found
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def test_one_file_holds_as_many_details_as_fit(
    tmp_path: Path, data: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    details = [
        (f"{n:016x}", {"text": hashlib.sha256(bytes([n])).hexdigest() * 9}) for n in range(9)
    ]
    size = len(page_module._block("attempt-" + details[0][0], details[0][1]))
    monkeypatch.setattr(page_module, "MAX_DETAIL_CHARACTERS", 5 * size + 20)
    written = write_file(tmp_path / "page.html", data, iter(details))
    assert (written.attempts, written.details) == (60, 5)
    text = written.path.read_text("utf-8")
    assert unpacked(text, "board") == {**data, "details": 5}
    assert unpacked(text, f"attempt-{details[4][0]}") == details[4][1]
    assert f"attempt-{details[5][0]}" not in text


def test_a_folder_holds_all_details_and_all_modules(tmp_path: Path, data: dict[str, Any]) -> None:
    details = [(f"{n:016x}", {"n": n}) for n in range(3)]
    written = write_folder(tmp_path / "site", data, iter(details))
    assert (written.path, written.details) == (tmp_path / "site" / "index.html", 3)
    assert json.loads(gzip.decompress((tmp_path / "site/board.json.gz").read_bytes())) == data
    assert json.loads((tmp_path / f"site/attempts/{details[2][0]}.json").read_text()) == {"n": 2}
    for asset in STATIC.iterdir():
        if asset.name != "index.html":
            assert (tmp_path / "site/static" / asset.name).read_bytes() == asset.read_bytes()
    assert 'data-source="folder"' in written.path.read_text("utf-8")


BROKEN: dict[str, tuple[dict[str, str], str]] = {
    "circle": (
        {
            "app.js": 'import { b } from "./b.js";\n',
            "b.js": 'import { a } from "./app.js";\nexport const b = 1;\n',
        },
        "import each other: app.js -> b.js -> app.js",
    ),
    "default": ({"app.js": "export default 1;\n"}, "not a form that can be bundled"),
    "star": ({"app.js": 'import * as b from "./b.js";\n', "b.js": ""}, "not a form"),
    "end of script": ({"app.js": 'const a = "</script>";\n'}, "ends a script element"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_modules_that_cannot_be_bundled_are_refused(name: str, tmp_path: Path) -> None:
    files, message = BROKEN[name]
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    with pytest.raises(ValueError, match=message):
        bundle_modules(tmp_path)


@pytest.mark.slow
def test_a_bundle_names_all_that_modules_export() -> None:
    script = bundle_modules()
    for module in MODULES:
        for exported in re.findall(
            r"^export (?:async )?\w+ (\w+)", module.read_text("utf-8"), re.M
        ):
            assert re.search(rf"^return {{.*\b{exported}\b.*}};$", script, re.M)


@pytest.fixture
def run(store: Store) -> str:
    keys = [AttemptKey("t", "a", replicate=n) for n in range(3)]
    made = store.open_run("pack", keys, {})
    finish(store, attempt_id(made, keys[0]))
    return made


@pytest.mark.slow
def test_the_page_of_a_run_is_written_whole_or_not_at_all(
    store: Store, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_page(store, run)
    assert path == store.folder / "reports" / f"{run}.html"
    before = path.read_bytes()

    def killed(*_: object) -> None:
        raise OSError("killed")

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(ValueError, match="killed"):
        write_page(store, run)
    assert path.read_bytes() == before


@pytest.mark.slow
def test_where_the_page_goes(store: Store, run: str, tmp_path: Path) -> None:
    other = store.open_run("pack", [AttemptKey("u", "a")], {})
    assert write_page(store, run, str(tmp_path / "a.html")) == tmp_path / "a.html"
    assert write_page(store, run, f"{tmp_path}/site/") == tmp_path / "site" / "index.html"
    every = write_page(store, "", str(tmp_path / "all.html")).read_text("utf-8")
    assert sorted(unpacked(every, "board")["names"]["run"]) == sorted([run, other])
    (tmp_path / "there").mkdir()
    assert write_page(store, run, f"{tmp_path}/there") == tmp_path / "there" / "index.html"


@pytest.mark.slow
def test_a_page_that_takes_long_tells_how_far_it_is(
    store: Store, run: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(report, "PROGRESS_INTERVAL_S", 0.0)
    write_page(store, run)
    told = capsys.readouterr().err.splitlines()
    assert told == [f"details of {done} of 3 attempts" for done in range(3)]


def nowhere(tmp_path: Path) -> Path:
    return tmp_path / "file" / "page.html"


def long(tmp_path: Path) -> Path:
    return tmp_path / ("x" * 300 + ".html")


@pytest.mark.slow
@pytest.mark.parametrize("place", [nowhere, long])
def test_a_path_that_cannot_be_written_is_one_line(
    place: Callable[[Path], Path], store: Store, run: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"^--html: [^\n]*$"):
        write_page(store, run, str(place(tmp_path)))
