import re
import sys

LINE = re.compile(r"^(\w+):\s*(.*)$")


def parse(text):
    found = {}
    for line in text.splitlines():
        match = LINE.match(line)
        if match:
            found[match.group(1)] = match.group(2)
    return found


print(parse(sys.stdin.read()).get("name", "nobody"))
