"""Endpoints: runs, the page's data, attempts, details, artefacts, leaderboard, comparisons."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from starlette.requests import Request
from starlette.responses import Response

from arena.report.detail import UNREADABLE, artefacts, detail
from arena.report.details.calls import raw_call
from arena.report.leaderboard import BY, leaderboard
from arena.report.paired import compare
from arena.report.provenance import mixing
from arena.report.selection import Selection
from arena.serve.answers import LEVEL, RefusedRequest, as_json, download, json_response, takes_gzip
from arena.serve.query import BoardQuery, expect_no_parameters, page, parse_integer, split_list
from arena.serve.search import TrajectorySearch
from arena.serve.watch import Snapshot, StoreWatch
from arena.tracks.paper_view import paper

if TYPE_CHECKING:
    from arena.store.store import Store

T = TypeVar("T")

# Papers of runs that are kept while the store does not change.
MAX_PAPERS = 20

# Answers that are worked on at a time; others wait, so that many clients cost no more than these.
WORKERS = 4


class Api:
    """The page's endpoints for Starlette, with the state that they share: a single object per server."""

    def __init__(self, store: Store, watch: StoreWatch) -> None:
        self._store, self._watch = store, watch
        self._limiter = anyio.CapacityLimiter(WORKERS)
        self._boards = Boards(watch)
        self._search = TrajectorySearch(store)
        # Run -> the version of the store, and its paper as JSON.
        self._papers: dict[str, tuple[str, bytes]] = {}

    async def state(self, request: Request) -> Response:
        expect_no_parameters(request)

        def work() -> bytes:
            state_json = self._watch.state().to_json()
            return as_json({"version": self._watch.version(), **state_json})

        return json_response(request, await self._work(work))

    async def board(self, request: Request) -> Response:
        expect_no_parameters(request)
        version, squeezed = await self._work(self._boards.current)
        # Browsers send the tag again, and megabytes stay where they are while nothing has changed.
        tag = f'"{version}"'
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers={"ETag": tag})
        response = await self._work(
            lambda: json_response(request, _plain(request, squeezed), squeezed)
        )
        response.headers["ETag"] = tag
        return response

    async def attempts(self, request: Request) -> Response:
        query = BoardQuery.from_request(request, "limit", "after", "sort")
        body = await self._work(lambda: as_json(page(self._watch.snapshot().rows, query).to_json()))
        return json_response(request, body)

    async def leaderboard(self, request: Request) -> Response:
        query = BoardQuery.from_request(request, "by")
        by = split_list(query.parameters.get("by", ",".join(BY)))

        def work() -> bytes:
            rows = [r for r in self._watch.snapshot().rows if query.selection.matches(r)]
            entries = [entry.to_json() for entry in leaderboard(rows, by)]
            return as_json({"by": by, "attempts": len(rows), "entries": entries})

        return json_response(request, await self._work(work))

    async def paper(self, request: Request) -> Response:
        expect_no_parameters(request)
        run = request.path_params["id"]

        def work() -> bytes:
            stored_run = self._store.run(run)
            version = self._watch.version()
            if self._papers.get(stored_run.id, ("", b""))[0] != version:
                self._papers = dict([*self._papers.items()][-MAX_PAPERS:])
                self._papers[stored_run.id] = version, as_json(paper(self._store, stored_run))
            return self._papers[stored_run.id][1]

        return json_response(request, await self._work(work))

    async def search(self, request: Request) -> Response:
        query = BoardQuery.from_request(request, "q", "kind")
        if query.selection != Selection():
            raise ValueError("a search takes q and kind, and no filters")
        words, kind = _required_value(query, "q"), query.parameters.get("kind", "")
        run = request.path_params["id"]
        return json_response(
            request, await self._work(lambda: as_json(self._search.answer(run, words, kind)))
        )

    async def compare(self, request: Request) -> Response:
        query = BoardQuery.from_request(request, "by", "a", "b", "label_counted")
        by, a, b = (_required_value(query, name) for name in ("by", "a", "b"))

        def work() -> bytes:
            rows = [r for r in self._watch.snapshot().rows if query.selection.matches(r)]
            comparison = compare(
                rows, by, a, b, query.parameters.get("label_counted", "")
            ).to_json()
            sides = [row for row in rows if getattr(row, by) in (a, b)]
            return as_json({**comparison, "warnings": mixing(sides)})

        return json_response(request, await self._work(work))

    async def attempt(self, request: Request) -> Response:
        expect_no_parameters(request)
        id_ = request.path_params["id"]

        def work() -> bytes:
            facts = detail(self._store, id_)
            return as_json(facts | {"download": f"api/attempts/{facts['attempt']}/artefacts/"})

        return json_response(request, await self._work(work))

    async def call(self, request: Request) -> Response:
        expect_no_parameters(request)
        id_ = request.path_params["id"]
        number = parse_integer(request.path_params["number"], "call", 0, 10**8)

        def work() -> bytes:
            try:
                return as_json(raw_call(self._store, id_, number))
            except (LookupError, *UNREADABLE) as error:
                reason = error.args[0] if error.args else type(error).__name__
                raise RefusedRequest(404, f"no such call: {reason}") from error

        return json_response(request, await self._work(work))

    async def artefact(self, request: Request) -> Response:
        expect_no_parameters(request)
        id_, name = request.path_params["id"], request.path_params["name"]

        def work() -> Response:
            attempt = self._store.attempt(id_)
            # Only names that the attempt has: no digest of a client is ever looked up.
            digest = artefacts(attempt).get(name)
            if digest is None:
                raise RefusedRequest(404, f"attempt {attempt.id} has no artefact of that name")
            return download(self._blob(digest), f"{attempt.id}-{name}")

        return await self._work(work)

    def _blob(self, digest: str) -> bytes:
        try:
            return self._store.blob(digest)
        except UNREADABLE as error:
            raise RefusedRequest(
                404, f"the artefact cannot be read ({type(error).__name__})"
            ) from error

    async def _work(self, work: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)


def _required_value(query: BoardQuery, name: str) -> str:
    if name not in query.parameters:
        raise ValueError(f"{name}: is needed")
    return query.parameters[name]


def _plain(request: Request, squeezed: bytes) -> bytes:
    return b"" if takes_gzip(request) else gzip.decompress(squeezed)


class Boards:
    """The page's data, compressed and cached for each version of the store."""

    def __init__(self, watch: StoreWatch) -> None:
        self._watch = watch
        self._making = threading.Lock()
        self._compressed: tuple[str, bytes] = ("", b"")

    def current(self) -> tuple[str, bytes]:
        """(version, JSON compressed by gzip)"""
        snapshot = self._watch.snapshot()
        # A request that waits here uses the answer that another made.
        with self._making:
            if self._compressed[0] != snapshot.version:
                self._compressed = snapshot.version, gzip.compress(_board(snapshot), LEVEL, mtime=0)
            return self._compressed


def _board(snapshot: Snapshot) -> bytes:
    from arena.report.board.data import board

    content: dict[str, Any] = board(snapshot.rows, snapshot.runs, live=True)
    return as_json(content | {"version": snapshot.version})
