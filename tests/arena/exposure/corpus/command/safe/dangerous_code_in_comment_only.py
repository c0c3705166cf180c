import subprocess
from flask import Flask, request

app = Flask(__name__)

# never do this:
#   os.system("ping -c 1 " + request.args["host"])
WARNING = "os.system('ping ' + host) would be a command injection"


@app.route("/ping")
def ping():
    """Not with shell=True: subprocess.call("ping " + host, shell=True)."""
    host = request.args["host"]
    code = subprocess.call(["ping", "-c", "1", host], stdout=subprocess.DEVNULL)
    return "alive" if code == 0 else "dead"
