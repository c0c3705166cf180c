"""Traces for OpenTelemetry: a folder with `traces.jsonl` and `logs.jsonl`, or a receiver's URL."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.exchange.source import Say, Source
from arena.exchange.spans import trace_of
from arena.exchange.writing import empty_folder, write_output
from arena.vocabulary import vocabulary_or_bare
from harness.extras import need

if TYPE_CHECKING:
    from arena.exchange.otlp import TraceExporter

TRACES, LOGS = "traces.jsonl", "logs.jsonl"
# The variable by which OpenTelemetry's own instrumentations of models are asked for texts.
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


@dataclass(frozen=True)
class OtlpFormat:
    """An `ExchangeFormat` that can be sent as well."""

    name: str = "otlp"
    help: str = "Traces for OpenTelemetry: a folder, or the URL of a receiver."

    def write(self, source: Source, out: Path, say: Say) -> None:
        need("otlp")
        from arena.exchange.otlp import FileReceiver, TraceExporter

        folder = empty_folder(out)
        with write_output(folder / TRACES) as traces, write_output(folder / LOGS) as logs:
            exporter = TraceExporter(FileReceiver(traces, logs))
            _add_attempts(source, exporter, say)
        say(f"{exporter.spans} spans and {exporter.events} verdicts in {out}")

    def send(self, source: Source, url: str, say: Say) -> None:
        """Send to a receiver of OTLP over HTTP. Raises NotTaken."""
        need("otlp")
        from arena.exchange.otlp import TraceExporter, open_receiver

        with open_receiver(url) as receiver:
            exporter = TraceExporter(receiver)
            _add_attempts(source, exporter, say)
        say(f"{exporter.spans} spans and {exporter.events} verdicts sent to {receiver.url}")


def _add_attempts(source: Source, exporter: TraceExporter, say: Say) -> None:
    words, content = vocabulary_or_bare(source.run.track), _content_is_wanted()
    unfinished = 0
    for attempt in source.attempts():
        if not attempt.health:
            unfinished += 1
            continue
        exporter.add(trace_of(source, attempt, words, content))
    exporter.flush()
    if unfinished:
        say(f"{unfinished} attempts have not ended and are left out")


def _content_is_wanted() -> bool:
    return os.environ.get(CONTENT, "").strip().lower() == "true"


PLUGIN = OtlpFormat()
