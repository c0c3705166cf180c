"""Serve a web application whose module does not start it itself: `serve.py FILE NAME`, on PORT."""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
from pathlib import Path
from typing import Any


def main(file: Path, name: str) -> None:
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"no loader for {file}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    app = getattr(module, name.removesuffix("()"))
    serve(app() if name.endswith("()") else app, int(os.environ["PORT"]))


def serve(app: Any, port: int) -> None:
    if is_asgi(app):
        import uvicorn

        uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
    else:
        from werkzeug.serving import run_simple

        run_simple("127.0.0.1", port, getattr(app, "wsgi_app", app), threaded=True)


def is_asgi(app: Any) -> bool:
    if hasattr(app, "wsgi_app"):
        return False
    return inspect.iscoroutinefunction(app if inspect.isfunction(app) else type(app).__call__)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
