"""`arena gateway`: serves on loopback, and prints the ledger when stopped."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from arena.options import pins as pins_from
from tests.harness.gateway.providers import provider
from tests.harness.gateway.serving import ask

START = "import typer; from arena.cli.gateway import command; typer.run(command)"


@contextmanager
def arena(*words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", START, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_and_prints_its_ledger_when_stopped(kind: signal.Signals, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[prices."hosted_vllm/x"]\ninput = 10000\noutput = 0\n')
    with provider() as there:
        words = ("--model", "hosted_vllm/x", "--api-base", there.base, "--prices", str(prices))
        caps = ("--max-usd", "1.5", "--max-calls", "9", "--pin", "temperature=0")
        with arena(*words, *caps, "--json") as process:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            headers = {"authorization": f"Bearer {told['token']}"}
            with httpx.Client(base_url=told["address"], headers=headers) as asking:
                statuses = [ask(asking, name).status_code for name in ("chat", "messages", "chat")]
            process.send_signal(kind)
            out, err = process.communicate(timeout=120)
        assert statuses == [200, 200, 401]
        assert process.returncode == 0, err
        ledger = json.loads(out)
        assert set(ledger) == {
            *("usage", "stopped", "ended", "unpinned", "prices", "changed", "calls"),
        }
        assert ledger["changed"] == {}
        assert (ledger["stopped"], ledger["usage"]["calls"]) == ("usd", 2)
        assert ledger["usage"]["usd"] == sum(row["usd"] for row in ledger["calls"]) == 2.0
        assert there.asked[0][2]["temperature"] == 0
        assert told["address"] in err
        assert told["token"] in err
        assert len(err.splitlines()) == 1


@pytest.mark.rotating(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "nonsense"), "neither PROVIDER/NAME"),
        (("--model", "hosted_vllm/x", "--api-base", "http://127.0.0.1:1/v1"), "no price is known"),
        (("--model", "script:/nonexistent/file"), "/nonexistent/file"),
    ],
)
def test_a_mistake_is_told(words: tuple[str, ...], said: str) -> None:
    with arena(*words) as process:
        _, err = process.communicate(timeout=120)
    assert process.returncode != 0
    assert said in " ".join(err.replace("│", " ").split())


def test_pins() -> None:
    assert pins_from(["temperature=0", "top_p=null", "seed=7"]) == {
        "temperature": 0,
        "top_p": None,
        "seed": 7,
    }
    for wrong in ("temperature", "colour=1", "seed=abc", "seed=true", "seed="):
        with pytest.raises(ValueError, match="--pin"):
            pins_from([wrong])
