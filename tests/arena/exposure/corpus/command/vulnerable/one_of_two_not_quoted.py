import shlex
import subprocess
from flask import Blueprint, request

bp = Blueprint("diag", __name__, url_prefix="/diag")


@bp.route("/ping")
def ping():
    host = shlex.quote(request.args.get("host", "localhost"))
    count = request.args.get("count", "4")
    cmd = "ping -c {count} {host}".format(count=count, host=host)
    done = subprocess.run(cmd, shell=True, capture_output=True, text=True)
    return done.stdout or done.stderr
