"""`smtplib` over a server that is not there: the real client, whose lines a canned server answers."""

from __future__ import annotations

import functools
import smtplib
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import cut
from arena.tracks.mutation.runner.mocks._wire import missing_verification
from arena.tracks.mutation.runner.mocks.mysql import record_credential

ABILITIES = ("canned", "AUTH LOGIN PLAIN", "STARTTLS", "SIZE 10240000")
CHALLENGED = b"AUTH LOGIN"
MAX_LINES = 10_000


class Server:
    """A connected socket: takes lines, and says what a willing server would."""

    def __init__(self) -> None:
        self._said: list[bytes] = [b"220 canned ready\r\n"]
        self._data = False
        self._challenges = 0

    def sendall(self, data: bytes) -> None:
        for line in bytes(data).split(b"\r\n")[:MAX_LINES]:
            self._take(line)

    def _take(self, line: bytes) -> None:
        word = line.upper()
        if self._data:
            self._data = line != b"."
            self._said += [] if self._data else [b"250 taken\r\n"]
        # `split` gives an empty rest behind the last line end; an empty answer to a challenge is a line.
        elif not line and not self._challenges:
            return
        elif word.startswith(b"EHLO"):
            last = len(ABILITIES) - 1
            for at, ability in enumerate(ABILITIES):
                self._said.append(f"250{' ' if at == last else '-'}{ability}\r\n".encode())
        else:
            self._said.append(self._reply(word))

    def _reply(self, word: bytes) -> bytes:
        if word.startswith(CHALLENGED):
            self._challenges = 1
            # "Password:" in Base64, as the mechanism LOGIN asks.
            return b"334 UGFzc3dvcmQ6\r\n"
        if word == b"DATA":
            self._data = True
            return b"354 go on\r\n"
        if self._challenges or word.startswith(b"AUTH"):
            self._challenges = 0
            return b"235 welcome\r\n"
        return b"221 bye\r\n" if word == b"QUIT" else b"250 ok\r\n"

    def makefile(self, *args: Any, **kwargs: Any) -> Any:
        return self

    def readline(self, limit: int = -1) -> bytes:
        return self._said.pop(0) if self._said else b""

    def close(self) -> None:
        """Holds nothing open."""


def PLUGIN(log: Log) -> Supplied:
    """Connections of `smtplib`."""
    client, secure = smtplib.SMTP, smtplib.SMTP_SSL

    def open_socket(self: Any, host: Any, port: Any, timeout: Any) -> Any:
        log.event("http.requested", cut(f"CONNECT {host}:{port}"))
        if isinstance(self, secure) and missing_verification(self.context):
            log.event("tls.unverified", missing_verification(self.context))
        return Server()

    @functools.wraps(client.starttls)
    def starttls(self: Any, *args: Any, **kwargs: Any) -> Any:
        context = kwargs.get("context")
        # Without a context `smtplib` verifies neither certificate nor host.
        if missing_verification(context) or context is None:
            log.event(
                "tls.unverified", missing_verification(context) or "starttls without a context"
            )
        self._secured = True
        return self.docmd("STARTTLS")

    @functools.wraps(client.login)
    def login(self: Any, user: Any, password: Any, **kwargs: Any) -> Any:
        record_credential(log, "password", password)
        if not isinstance(self, secure) and not getattr(self, "_secured", False):
            log.event("http.plain", cut(f"LOGIN {self._host}"))
        return signing(self, user, password, **kwargs)

    signing = client.login
    return Supplied(
        patches=(
            (client, "_get_socket", open_socket),
            (secure, "_get_socket", open_socket),
            (client, "starttls", starttls),
            (client, "login", login),
        )
    )


_S = (
    "import smtplib, ssl\ndef send(host, word):\n    with smtplib.SMTP(host, 587) as s:\n"
    "        {}\n        s.login('me', word)\n"
    "        return s.sendmail('a@b.c', 'd@e.f', 'Subject: x\\n\\nbody')\n"
)
EXAMPLES = (
    MockExample(
        _S.format("s.starttls(context=ssl.create_default_context())"),
        "send('mail.example.com', 'w')",
        ("credential.used", "http.requested"),
        ("http.plain", "tls.unverified"),
        result={},
    ),
    MockExample(_S.format("pass"), "send('mail.example.com', 'w')", ("http.plain",), result={}),
)
