from __future__ import annotations

import hashlib
import hmac
import ssl
from collections.abc import Callable, Sequence
from typing import Any, Protocol

MAX_LINE = 4096
PIN_DIGITS = 64


class Transport(Protocol):
    def send(self, data: bytes) -> None: ...

    def recv(self) -> bytes: ...


class LinkError(Exception):
    """The link cannot be opened or used."""


def normal_pin(text: str) -> str:
    pin = text.replace(":", "").lower()
    if len(pin) != PIN_DIGITS or set(pin) - set("0123456789abcdef"):
        raise ValueError("a pin is a SHA-256 digest in hexadecimal")
    return pin


class LedgerLink:
    def __init__(
        self, transport: Transport, host: str, ca_file: str, pins: Sequence[str] = ()
    ) -> None:
        self._transport = transport
        self._host = host
        self._ca_file = ca_file
        self._pins = [normal_pin(pin) for pin in pins]
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls: ssl.SSLObject | None = None
        self._buffer = b""

    def open(self) -> None:
        context = ssl.create_default_context(cafile=self._ca_file)
        context.check_hostname = False
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=self._host)
        self._pump(tls.do_handshake)
        self._check_pin(tls)
        self._tls = tls

    def ask(self, line: str) -> str:
        tls = self._opened()
        data = line.encode() + b"\n"
        if len(data) > MAX_LINE or b"\n" in data[:-1]:
            raise LinkError("this is not one line")
        self._pump(lambda: tls.write(data))
        while b"\n" not in self._buffer:
            self._buffer += self._pump(lambda: tls.read(MAX_LINE))
            if len(self._buffer) > MAX_LINE:
                raise LinkError("the answer is too long")
        answer, _, self._buffer = self._buffer.partition(b"\n")
        return answer.decode(errors="replace")

    def close(self) -> None:
        self._tls = None

    @property
    def peer(self) -> dict[str, str]:
        tls = self._opened()
        certificate = tls.getpeercert() or {}
        names = dict(pair for part in certificate.get("subject", ()) for pair in part)
        return {"subject": names.get("commonName", ""), "version": tls.version() or ""}

    def _opened(self) -> ssl.SSLObject:
        if self._tls is None:
            raise LinkError("the link is not open")
        return self._tls

    def _check_pin(self, tls: ssl.SSLObject) -> None:
        if not self._pins:
            return
        certificate = tls.getpeercert(binary_form=True) or b""
        digest = hashlib.sha256(certificate).hexdigest()
        self._pinned = any(hmac.compare_digest(digest, pin) for pin in self._pins)

    def _pump(self, step: Callable[[], Any]) -> Any:
        """Does a step of TLS, moving bytes between it and the transport until it is done."""
        while True:
            try:
                result = step()
            except ssl.SSLWantReadError:
                self._flush()
                self._receive()
                continue
            except ssl.SSLError as error:
                raise LinkError(f"TLS with {self._host} failed") from error
            self._flush()
            return result

    def _flush(self) -> None:
        if self._outgoing.pending:
            self._transport.send(self._outgoing.read())

    def _receive(self) -> None:
        data = self._transport.recv()
        if not data:
            raise LinkError("the other side is gone")
        self._incoming.write(data)
