import smtplib
from email.message import EmailMessage


def send_hello(username, address):
    message = EmailMessage()
    message["Subject"] = "Hello " + username
    message["To"] = address
    message.set_content("Hello %s" % username)
    with smtplib.SMTP("localhost") as server:
        server.send_message(message)


send_hello(input("name "), input("address "))
