import subprocess
from flask import Blueprint, request, current_app

bp = Blueprint("tools", __name__, url_prefix="/tools")


@bp.route("/ping", methods=["GET", "POST"])
def ping():
    host = (
        request.form.get("host", "") if request.method == "POST" else request.args.get("host", "")
    )
    # no shell=True, so this is fine ... is it?
    argv = ["/bin/sh", "-c", "ping -c 1 " + host]
    result = subprocess.run(argv, capture_output=True, text=True)
    current_app.logger.info("ping %s -> %s", host, result.returncode)
    return result.stdout, 200, {"Content-Type": "text/plain"}
