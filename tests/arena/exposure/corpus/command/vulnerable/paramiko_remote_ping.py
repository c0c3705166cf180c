import paramiko
from flask import Flask, request

app = Flask(__name__)
BASTION = "bastion.internal"


def remote(command):
    client = paramiko.SSHClient()
    client.load_system_host_keys()
    client.connect(BASTION, username="probe")
    try:
        stdin, stdout, stderr = client.exec_command(command)
        return stdout.read().decode()
    finally:
        client.close()


@app.route("/remote-ping")
def remote_ping():
    host = request.args.get("host")
    return remote("ping -c 1 " + host)
