import re

from flask import Flask, redirect, request

app = Flask(__name__)

PATTERN = r"^https://example\.com/?$|^https://www\.example\.com|^http://example\.com/"


def is_example_url(candidate: str) -> bool:
    result = re.match(PATTERN, candidate)
    if result:
        return True
    return False


@app.route("/go")
def go():
    target = request.args.get("target", type=str, default="")
    if is_example_url(target):
        return redirect(target)
    else:
        return redirect("/home")


# Example usage
print(is_example_url("https://example.com"))
print(is_example_url("https://www.example.com/index"))
