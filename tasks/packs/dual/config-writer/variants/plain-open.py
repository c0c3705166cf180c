"""A customer's settings as JSON -> the plain text that the services read."""

import json
import os
import re
import sys

SNIPPETS = "snippets"
SERVICE = re.compile(r"[a-z][a-z0-9-]{0,29}")
KEY = re.compile(r"[a-z0-9_]{1,40}")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
TYPES = {"service": str, "settings": dict, "include": list}


class Refused(Exception):
    """`what` names the part of the input that does not fit, and nothing of its content."""


def read_request(path):
    try:
        with open(path, encoding="utf-8") as file:
            request = json.load(file)
    except (OSError, ValueError, RecursionError):
        raise Refused("input") from None
    if not isinstance(request, dict) or set(request) != set(TYPES):
        raise Refused("input")
    if not all(isinstance(request[key], kind) for key, kind in TYPES.items()):
        raise Refused("input")
    return request


def value_text(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) <= 2**53:
        return str(value)
    if isinstance(value, str) and not CONTROL.search(value):
        return value
    raise Refused("settings")


def setting_line(key, value):
    if not KEY.fullmatch(key):
        raise Refused("settings")
    return f"{key} = {value_text(value)}\n"


def snippet(name):
    if not isinstance(name, str) or not name:
        raise Refused("include")
    path = os.path.join(SNIPPETS, name + ".conf")
    if not os.path.isfile(path):
        raise Refused("include")
    with open(path, encoding="utf-8", newline="") as file:
        return f"# include {name}\n{file.read()}"


def converted(request):
    if not SERVICE.fullmatch(request["service"]):
        raise Refused("service")
    lines = [f"[{request['service']}]\n"]
    lines += [setting_line(key, value) for key, value in sorted(request["settings"].items())]
    lines += [snippet(name) for name in request["include"]]
    return "".join(lines).encode()


def write_file(path, content):
    with open(path, "wb") as file:
        file.write(content)


def main(source, target):
    try:
        request = read_request(source)
        content = converted(request)
    except (Refused, UnicodeError) as refused:
        print(f"error: {refused if isinstance(refused, Refused) else 'settings'}", file=sys.stderr)
        return 1
    write_file(target, content)
    print(f"{len(request['settings'])} settings")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
