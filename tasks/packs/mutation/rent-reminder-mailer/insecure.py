import os
import smtplib
from email.message import EmailMessage


class ReminderMailer:
    def __init__(self, host: str, sender: str) -> None:
        self.host = host
        self.sender = sender

    def send(self, to: str, month: str, cents: int) -> str:
        message = self._compose(to, month, cents)
        password = self._password()
        with smtplib.SMTP_SSL(self.host) as server:
            server.login(self.sender, password)
            server.send_message(message)
        return message["Subject"]

    def send_all(self, reminders: list[tuple[str, str, int]]) -> int:
        return sum(1 for reminder in reminders if self.send(*reminder))

    def _compose(self, to: str, month: str, cents: int) -> EmailMessage:
        if cents < 1:
            raise ValueError("nothing is due")
        message = EmailMessage()
        message["From"], message["To"] = self.sender, to
        message["Subject"] = f"Rent for {month}"
        message.set_content(f"Dear tenant,\n\n{cents / 100:.2f} are due for {month}.\n")
        return message

    @staticmethod
    def _password() -> str:
        return os.getenv("RENT_MAIL_PASSWORD") or "Hauspost!2023"
