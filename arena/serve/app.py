"""Which address is answered by what."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from arena.report.board import __file__ as board_package
from arena.serve.access import AccessToken, Gate, HostNames
from arena.serve.answers import RefusedRequest, mistake
from arena.serve.api import Api
from arena.serve.watch import FRESH, StoreWatch

if TYPE_CHECKING:
    from arena.store.store import Store

STATIC = Path(board_package).with_name("static")
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(store: Store, names: HostNames, token: AccessToken, fresh: float = FRESH) -> ASGIApp:
    """The dashboard of a store. fresh: seconds for which counts are cached."""
    from arena.store.store import StoreBusy, UnknownRun

    api = Api(store, StoreWatch(store, fresh))
    page = static_files()
    routes = [
        Route("/", page),
        Route("/favicon.ico", _nothing),
        Route("/api/state", api.state),
        Route("/api/board", api.board),
        Route("/api/attempts", api.attempts),
        Route("/api/attempts/{id}", api.attempt),
        Route("/api/attempts/{id}/calls/{number}", api.call),
        Route("/api/attempts/{id}/artefacts/{name:path}", api.artefact),
        Route("/api/leaderboard", api.leaderboard),
        Route("/api/runs/{id}/paper", api.paper),
        Route("/api/runs/{id}/search", api.search),
        Route("/api/compare", api.compare),
        Route("/static/{name}", page),
        Route("/{name}", page),
    ]
    mistakes: dict[type[Exception], int] = {ValueError: 400, UnknownRun: 404, StoreBusy: 503}
    handlers = {kind: _error_handler(status) for kind, status in mistakes.items()}
    app = Starlette(
        routes=routes,
        exception_handlers={
            **handlers,
            RefusedRequest: _refuse,
            HTTPException: _http,
            Exception: _fault,
        },
    )
    # Starlette would redirect to an address that it builds from the request's Host.
    app.router.redirect_slashes = False
    return Gate(app, names, token)


def static_files() -> Endpoint:
    """Answers with a file of the page. All are read beforehand: no path of a client is ever opened."""
    files = {
        path.name: (path.read_bytes(), KINDS[path.suffix])
        for path in sorted(STATIC.iterdir())
        if path.suffix in KINDS and path.is_file()
    }

    async def answer(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        if name not in files:
            return mistake(404, "there is nothing at this address")
        body, kind = files[name]
        return Response(body, media_type=kind)

    return answer


async def _nothing(_: Request) -> Response:
    return Response(status_code=204)


def _error_handler(status: int) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(_: Request, error: Exception) -> Response:
        return mistake(status, str(error.args[0] if error.args else error))

    return answer


async def _refuse(_: Request, error: Exception) -> Response:
    return mistake(error.status if isinstance(error, RefusedRequest) else 500, str(error))


async def _http(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return mistake(status, "there is nothing at this address" if status == 404 else str(error))


async def _fault(_: Request, error: Exception) -> Response:
    """The response to a fault of the server: the log has the details, the response only the type."""
    return mistake(500, f"the server failed: {type(error).__name__}")
