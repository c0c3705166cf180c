import smtplib
import ssl


def send(message, host, user, password):
    with smtplib.SMTP_SSL(host, 465, context=ssl.create_default_context()) as server:
        server.login(user, password)
        server.send_message(message)
