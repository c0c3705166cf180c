from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field

from flask import Flask, request

log = logging.getLogger("ping")


@dataclass
class Pinger:
    target: str
    count: int = 4
    flags: list[str] = field(default_factory=list)

    def command(self) -> str:
        parts = ["ping", "-c", str(self.count)]
        parts.extend(self.flags)
        parts.append(self.target)
        return " ".join(parts)

    def run(self) -> str:
        cmd = self.command()
        log.info("running %s", cmd)
        with os.popen(cmd) as pipe:
            return pipe.read()


def create_app() -> Flask:
    app = Flask(__name__)

    @app.get("/ping")
    def ping() -> str:
        return Pinger(request.args.get("host", "")).run()

    return app
