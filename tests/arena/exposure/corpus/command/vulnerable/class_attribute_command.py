import subprocess
from flask import Flask, request

app = Flask(__name__)


class Pinger:
    def __init__(self, host, attempts=3):
        self.host = host
        self.attempts = attempts
        self.output = None

    @property
    def command(self):
        return "ping -c " + str(self.attempts) + " " + self.host

    def start(self):
        self.output = subprocess.getoutput(self.command)
        return self


@app.get("/ping")
def ping_view():
    pinger = Pinger(request.values["host"])
    pinger.start()
    return {"output": pinger.output}
