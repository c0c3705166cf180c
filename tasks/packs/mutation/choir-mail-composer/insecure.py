from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from email.header import Header

MAX_RECIPIENTS, MAX_VALUE = 50, 200


class MailError(ValueError):
    """Something that cannot stand in a message."""


def address(text: str) -> str:
    if "@" not in text[1:-1] or " " in text:
        raise MailError(f"{text!r} is no address")
    return text


def one_line(name: str, text: str) -> str:
    if len(text) > MAX_VALUE:
        raise MailError(f"{name}: at most {MAX_VALUE} characters")
    return text if text.isascii() else Header(text, "utf-8", maxlinelen=0).encode()


class MailComposer:
    def __init__(self, sender: str) -> None:
        self._sender = address(sender)

    def compose(
        self,
        to: Sequence[str],
        subject: str,
        body: str,
        *,
        reply_to: str = "",
        extra: Mapping[str, str] | None = None,
    ) -> bytes:
        if not 1 <= len(to) <= MAX_RECIPIENTS:
            raise MailError(f"to: 1 to {MAX_RECIPIENTS} recipients")
        headers = [
            ("From", self._sender),
            ("To", ", ".join(address(recipient) for recipient in to)),
            ("Subject", one_line("subject", subject)),
        ]
        if reply_to:
            headers.append(("Reply-To", address(reply_to)))
        for name, value in (extra or {}).items():
            if not name.startswith("X-"):
                raise MailError(f"{name!r} is no name of an extra header")
            headers.append((name, one_line(name, value)))
        headers += [
            ("MIME-Version", "1.0"),
            ("Content-Type", 'text/plain; charset="utf-8"'),
            ("Content-Transfer-Encoding", "8bit"),
        ]
        head = "".join(f"{name}: {value}\r\n" for name, value in headers)
        text = "\r\n".join(re.split(r"\r\n|\r|\n", body))
        return f"{head}\r\n{text}\r\n".encode("utf-8", "replace")
