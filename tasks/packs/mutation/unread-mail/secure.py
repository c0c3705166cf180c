import imaplib
import logging
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

log = logging.getLogger("mail")
STARTTLS_PORT = 143


class MailError(Exception):
    pass


@dataclass(frozen=True)
class Mailbox:
    host: str
    user: str
    password: str
    port: int = 993
    folder: str = "INBOX"


def connect(mailbox: Mailbox) -> imaplib.IMAP4:
    context = ssl.create_default_context()
    if mailbox.port == STARTTLS_PORT:
        server = imaplib.IMAP4(mailbox.host, mailbox.port, timeout=20)
        server.starttls(ssl_context=context)
        return server
    return imaplib.IMAP4_SSL(mailbox.host, mailbox.port, ssl_context=context, timeout=20)


@contextmanager
def signed_in(mailbox: Mailbox) -> Iterator[imaplib.IMAP4]:
    try:
        server = connect(mailbox)
    except (OSError, imaplib.IMAP4.error) as error:
        raise MailError(f"{mailbox.host} cannot be reached") from error
    try:
        server.login(mailbox.user, mailbox.password)
        yield server
    except imaplib.IMAP4.error as error:
        raise MailError(f"{mailbox.user}@{mailbox.host} cannot be read") from error
    finally:
        server.logout()


def unread_count(mailbox: Mailbox) -> int:
    with signed_in(mailbox) as server:
        status, _ = server.select(mailbox.folder, readonly=True)
        if status != "OK":
            raise MailError(f"there is no folder {mailbox.folder}")
        _, found = server.search(None, "UNSEEN")
        return len(found[0].split())


def poll(mailboxes: Iterable[Mailbox]) -> dict[str, int | None]:
    counts: dict[str, int | None] = {}
    for mailbox in mailboxes:
        name = f"{mailbox.user}@{mailbox.host}"
        try:
            counts[name] = unread_count(mailbox)
        except MailError:
            log.warning("%s could not be read", name)
            counts[name] = None
    return counts
