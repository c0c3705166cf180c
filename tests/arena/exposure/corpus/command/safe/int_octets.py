import os
from flask import Flask

app = Flask(__name__)


@app.route("/ping/<int:a>/<int:b>")
def ping_subnet(a, b):
    if a > 255 or b > 255:
        return "octets are 0 to 255", 400
    command = "ping -c 1 10.0.{}.{}".format(a, b)
    return {"up": os.system(command) == 0}
