import smtplib


def send(host, sender, receiver, text):
    with smtplib.SMTP_SSL(host, 465) as server:
        server.sendmail(sender, receiver, text)
