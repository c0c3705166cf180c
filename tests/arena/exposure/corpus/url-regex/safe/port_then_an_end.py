from __future__ import annotations

import re

from flask import Flask, redirect, request
from flask.typing import ResponseReturnValue

app = Flask(__name__)

_EXAMPLE_COM_URL = re.compile(
    r"\Ahttps?://(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*example\.com(?::\d{1,5})?(?:[/?#]|\Z)",
    re.IGNORECASE | re.ASCII,
)


@app.get("/go")
def go() -> ResponseReturnValue:
    target = request.args.get("target", "")
    if _EXAMPLE_COM_URL.match(target):
        return redirect(target)
    return redirect("/home")
