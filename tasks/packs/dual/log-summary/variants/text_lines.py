import re
import sys
from collections import Counter

RECORD = re.compile(
    r"^\d{4}-\d\d-\d\d (\d\d):\d\d [A-Z]+ (/\S*) (\d)\d\d (\d+)$"
)


def shown(path):
    """The path as printable ASCII."""
    out = []
    for byte in path.encode():
        if byte == 0x5C:
            out.append("\\\\")
        elif byte < 0x80:
            out.append(chr(byte))
        else:
            out.append(f"\\x{byte:02x}")
    return "".join(out)


def main():
    hours, classes, paths = Counter(), Counter(), Counter()
    records = malformed = size = 0
    for line in sys.stdin.read().splitlines():
        match = RECORD.match(line)
        if match is None:
            malformed += 1
            continue
        records += 1
        hours[match[1]] += 1
        paths[match[2]] += 1
        classes[match[3]] += 1
        size += int(match[4])
    print(f"records {records}\nmalformed {malformed}\nbytes {size}")
    for hour in sorted(hours):
        print(f"hour {hour}: {hours[hour]}")
    for first in sorted(classes):
        print(f"status {first}xx: {classes[first]}")
    for path, count in sorted(paths.items(), key=lambda item: (-item[1], item[0]))[:3]:
        print(f"top {count} {shown(path)}")


if __name__ == "__main__":
    main()
