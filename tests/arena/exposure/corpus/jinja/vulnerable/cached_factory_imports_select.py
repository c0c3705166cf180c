from functools import lru_cache
from pathlib import Path

from flask import Flask, request
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

TEMPLATES = Path(__file__).parent / "templates"


@lru_cache(maxsize=1)
def get_environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(str(TEMPLATES)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


app = Flask(__name__)


@app.get("/welcome")
def welcome() -> str:
    return get_environment().get_template("welcome.html").render(name=request.args.get("name", ""))
