"""Traces by the newest release of OpenTelemetry's SDK, beside the one that Semgrep pins."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.arena.exchange.receiver import receiving, values
from tests.real.releases import ROW, install, installed_version

pytestmark = pytest.mark.real
SDK, EXPORTER = "opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http"
PINNED = "1.37.0"
SCRIPT = """
import sys
from pathlib import Path
from arena.exchange.formats.otlp import PLUGIN
from arena.exchange.source import Source
from arena.store.store import Store
from tests.arena.exchange.making import RUN, a_run
store = Store(Path(sys.argv[1]))
a_run(store)
source = Source.open(store, RUN)
PLUGIN.send(source, sys.argv[2], print)
PLUGIN.write(source, Path(sys.argv[3]), print)
"""


def test_the_newest_sdk_sends_the_same(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    programs = install(tmp_path / "programs", SDK, others=[EXPORTER])
    version = installed_version(programs, SDK)
    request.node.user_properties.append((ROW, f"| {SDK} | {PINNED} | {version} | held |"))
    newest = next((tmp_path / "programs").glob("lib/python*/site-packages"))
    found = []
    for name, path in (("pinned", ""), ("newest", str(newest))):
        env = {**os.environ, "PYTHONPATH": path}
        with receiving() as received:
            folder = tmp_path / name
            argv = [sys.executable, "-c", SCRIPT, folder / "store", received.url, folder / "out"]
            subprocess.run(argv, env=env, check=True, timeout=120)
        found.append(received)
        assert (folder / "out" / "logs.jsonl").stat().st_size > 0
    pinned, latest = found
    assert latest.resources[0]["telemetry.sdk.version"] == version
    assert pinned.resources[0]["telemetry.sdk.version"] != version
    assert [(s.name, values(s), s.span_id) for s in latest.spans] == [
        (s.name, values(s), s.span_id) for s in pinned.spans
    ]
    assert [values(log) for log in latest.logs] == [values(log) for log in pinned.logs]
    assert len(latest.spans) == 13
