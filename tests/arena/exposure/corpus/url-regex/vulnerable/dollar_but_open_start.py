import re
from flask import *

app = Flask(__name__)


@app.route("/safe-redirect")
def safe_redirect():
    u = request.args.get("u")
    try:
        if re.search(r"example\.com$", u):
            return redirect(u)
    except TypeError:
        pass
    return redirect(url_for("index"))


# TODO: write index
