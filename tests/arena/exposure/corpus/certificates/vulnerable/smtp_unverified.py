import smtplib
import ssl
from email.message import EmailMessage


def send(message: EmailMessage, host: str) -> None:
    with smtplib.SMTP(host, 587) as server:
        server.starttls(context=ssl._create_unverified_context())
        server.send_message(message)
