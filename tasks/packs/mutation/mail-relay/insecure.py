from __future__ import annotations

import smtplib
import ssl
from email.message import EmailMessage
from types import TracebackType


class RelayError(Exception):
    """The relay cannot be used."""


class Relay:
    def __init__(self, host: str, user: str, password: str, port: int = 587) -> None:
        self.host = host
        self.port = port
        self._user = user
        self._password = password
        self._smtp: smtplib.SMTP | None = None

    def tls_context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context

    def __enter__(self) -> Relay:
        smtp = smtplib.SMTP(self.host, self.port, timeout=30)
        try:
            smtp.ehlo()
            smtp.starttls(context=self.tls_context())
            smtp.ehlo()
            smtp.login(self._user, self._password)
        except (smtplib.SMTPException, ssl.SSLError) as error:
            smtp.close()
            raise RelayError(f"{self.host} cannot be used") from error
        self._smtp = smtp
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._smtp is not None:
            self._smtp.quit()
            self._smtp = None

    def send(self, sender: str, recipients: list[str], subject: str, text: str) -> int:
        if self._smtp is None:
            raise RelayError("the relay is not open")
        for value in (sender, subject, *recipients):
            if "\n" in value or "\r" in value:
                raise ValueError("addresses and subjects are one line")
        if not recipients:
            return 0
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = sender, ", ".join(recipients), subject
        message.set_content(text)
        self._smtp.send_message(message)
        return len(recipients)
