"""Traces of attempts by OpenTelemetry's SDK: sent to a receiver over HTTP, or written as JSON lines.

(OTLP of opentelemetry-proto; JSON by the specification's file exporter, of which a file holds spans or logs.)
Since 2026 events of a span are deprecated in OpenTelemetry: an event is a log record with the span's ids.
"""

from __future__ import annotations

import base64
import json
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

from opentelemetry import context, trace
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk._logs import LoggerProvider, LogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, Status, StatusCode

from arena.exchange.spans import EventFacts, SpanFacts, TraceFacts
from arena.version import installed

SERVICE = "secure-coding-arena"
# Version of the traces' form (docs/exchange.md).
FORM = 1
# Spans or events in one request, as the SDK's own batches have.
MAX_BATCH = 512
# OTLP's JSON has ids in hex, where protobuf's JSON has bytes in base64.
ID_FIELDS = frozenset({"traceId", "spanId", "parentSpanId"})


class TraceReceiver(Protocol):
    """Where spans and log records go."""

    def take_spans(self, spans: Sequence[ReadableSpan]) -> None: ...
    def take_logs(self, logs: Sequence[Any]) -> None: ...


class FixedIds(IdGenerator):
    """Ids that are set before each span is begun."""

    def __init__(self) -> None:
        self.trace_id, self.span_id = 1, 1

    def generate_trace_id(self) -> int:
        return self.trace_id

    def generate_span_id(self) -> int:
        return self.span_id


@dataclass
class _Ended(SpanProcessor, LogRecordProcessor):
    """Collects what ended, so that each batch is sent once and its answer checked."""

    spans: list[ReadableSpan] = field(default_factory=list)
    logs: list[Any] = field(default_factory=list)

    def on_end(self, span: ReadableSpan) -> None:
        self.spans.append(span)

    def on_emit(self, log_record: Any) -> None:
        self.logs.append(log_record)

    def shutdown(self) -> None:
        return

    def force_flush(self, timeout_millis: int = 0) -> bool:
        return True


class TraceExporter:
    """Makes spans and log records of traces, and hands them to a receiver in batches."""

    def __init__(self, receiver: TraceReceiver) -> None:
        self._receiver, self._ended, self._ids = receiver, _Ended(), FixedIds()
        self.spans = self.events = 0
        resource = Resource.create(
            {"service.name": SERVICE, "service.version": installed(), "arena.form": FORM}
        )
        self._tracers = TracerProvider(
            # Else the environment's sampler could leave attempts out.
            sampler=ALWAYS_ON,
            resource=resource,
            id_generator=self._ids,
            shutdown_on_exit=False,
        )
        self._tracers.add_span_processor(self._ended)
        self._tracer = self._tracers.get_tracer(SERVICE, installed())
        self._loggers = LoggerProvider(resource=resource, shutdown_on_exit=False)
        self._loggers.add_log_record_processor(self._ended)
        self._logger = self._loggers.get_logger(SERVICE, installed())

    def add(self, facts: TraceFacts) -> None:
        """Raises what the receiver does."""
        contexts: list[SpanContext] = []
        for number, span in enumerate(facts.spans):
            # Sent twice, a trace is then the same trace to a receiver.
            self._ids.trace_id, self._ids.span_id = facts.trace_id, facts.span_id(number)
            contexts.append(self._add_span(span, contexts))
        for event in facts.events:
            self._add_event(event, contexts[0])
        if len(self._ended.spans) >= MAX_BATCH:
            self.flush()

    def _add_event(self, event: EventFacts, span: SpanContext) -> None:
        record = LogRecord(
            timestamp=_ns(event.time),
            observed_timestamp=_ns(event.time),
            context=_context_of(span),
            severity_number=SeverityNumber.INFO,
            attributes=event.attributes,
            event_name=event.name,
        )
        with warnings.catch_warnings():
            # SDK 1.37 warns of how it copies the record itself.
            warnings.filterwarnings("ignore", "LogRecord init")
            self._logger.emit(record)

    def _add_span(self, span: SpanFacts, contexts: Sequence[SpanContext]) -> SpanContext:
        # An empty context, or a span that is current in this process would become the parent.
        parent = context.Context() if span.parent is None else _context_of(contexts[span.parent])
        begun = self._tracer.start_span(
            span.name,
            parent,
            SpanKind.CLIENT if span.is_client else SpanKind.INTERNAL,
            span.attributes,
            start_time=_ns(span.start),
        )
        if not begun.is_recording():
            raise NotTaken("OpenTelemetry's SDK makes no spans: is OTEL_SDK_DISABLED set?")
        if span.error:
            begun.set_attribute("error.type", span.error)
            begun.set_status(Status(StatusCode.ERROR))
        begun.end(_ns(span.end))
        return begun.get_span_context()

    def flush(self) -> None:
        """Hand over what has not been yet. Raises what the receiver does."""
        for taken, take in (
            (self._ended.spans, self._receiver.take_spans),
            (self._ended.logs, self._receiver.take_logs),
        ):
            for start in range(0, len(taken), MAX_BATCH):
                take(taken[start : start + MAX_BATCH])
        self.spans += len(self._ended.spans)
        self.events += len(self._ended.logs)
        self._ended.spans.clear()
        self._ended.logs.clear()


def _context_of(span: SpanContext) -> context.Context:
    return trace.set_span_in_context(NonRecordingSpan(span), context.Context())


def _ns(seconds: float) -> int:
    """Nanoseconds, of whole microseconds: seconds since the epoch in 64 bits are not more exact."""
    return round(seconds * 1_000_000) * 1_000


class NotTaken(ValueError):
    """The receiver did not take what was sent; the message is a single line."""


class HttpReceiver:
    """OTLP over HTTP, at a URL that ends where `/v1/traces` and `/v1/logs` begin.

    Headers, certificates and timeouts come from the SDK's variables (`OTEL_EXPORTER_OTLP_HEADERS`, ...).
    """

    def __init__(self, url: str) -> None:
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        self.url = url.rstrip("/").removesuffix("/v1/traces")
        self._spans = OTLPSpanExporter(endpoint=f"{self.url}/v1/traces")
        self._logs = OTLPLogExporter(endpoint=f"{self.url}/v1/logs")

    def take_spans(self, spans: Sequence[ReadableSpan]) -> None:
        self._expect(self._spans.export(spans), "traces")

    def take_logs(self, logs: Sequence[Any]) -> None:
        self._expect(self._logs.export(logs), "logs")

    def _expect(self, result: Any, signal: str) -> None:
        if result.name != "SUCCESS":
            raise NotTaken(f"{self.url}/v1/{signal}: the receiver did not take what was sent")

    def close(self) -> None:
        self._spans.shutdown()
        self._logs.shutdown()


@dataclass(frozen=True)
class FileReceiver:
    """JSON lines of `TracesData` and `LogsData`."""

    traces: IO[bytes]
    logs: IO[bytes]

    def take_spans(self, spans: Sequence[ReadableSpan]) -> None:
        self.traces.write(_json_line(encode_spans(spans)))

    def take_logs(self, logs: Sequence[Any]) -> None:
        self.logs.write(_json_line(encode_logs(logs)))


@contextmanager
def open_receiver(url: str) -> Iterator[HttpReceiver]:
    receiver = HttpReceiver(url)
    try:
        yield receiver
    finally:
        receiver.close()


def _json_line(message: Any) -> bytes:
    from google.protobuf.json_format import MessageToDict

    value = MessageToDict(message, use_integers_for_enums=True)
    return json.dumps(_with_hex_ids(value), separators=(",", ":")).encode() + b"\n"


def _with_hex_ids(value: Any) -> Any:
    """A copy of protobuf's JSON with ids as OTLP's JSON has them."""
    if isinstance(value, list):
        return [_with_hex_ids(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: base64.b64decode(each).hex()
        if name in ID_FIELDS and isinstance(each, str)
        else _with_hex_ids(each)
        for name, each in value.items()
    }
