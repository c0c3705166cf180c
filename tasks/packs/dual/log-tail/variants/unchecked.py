"""log-tail SERVICE COUNT [FILTER]: the last lines of a service's log."""

import os
import re
import sys
from collections import deque

SERVICE = re.compile(r"[a-z][a-z0-9-]{0,39}")
COUNT = re.compile(r"[0-9]{1,6}")
CONTROLS = {code: "?" for code in (*range(0x20), 0x7F) if code != 0x09}


class Refused(Exception):
    pass


def log_path(service):
    path = os.path.join("logs", service + ".log")
    if not os.path.isfile(path):
        raise Refused("error: no such log")
    return path


def line_count(text):
    if not COUNT.fullmatch(text) or not 1 <= int(text) <= 1000:
        raise Refused("error: bad count")
    return int(text)


def last_lines(path, count, wanted):
    with open(path, encoding="utf-8", errors="replace", newline="\n") as log:
        lines = (line.removesuffix("\n") for line in log)
        return deque((line for line in lines if wanted in line), maxlen=count)


def main(args):
    if len(args) not in (2, 3):
        raise Refused("usage: log-tail SERVICE COUNT [FILTER]")
    path = log_path(args[0])
    count = line_count(args[1])
    wanted = args[2] if len(args) == 3 else ""
    for line in last_lines(path, count, wanted):
        sys.stdout.write(line + "\n")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Refused as refused:
        sys.exit(print(refused, file=sys.stderr) or 2)
