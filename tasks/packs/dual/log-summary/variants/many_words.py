import re
import sys
from collections import Counter

RECORD = re.compile(
    rb"[0-9]{4}-[0-9]{2}-[0-9]{2} ([01][0-9]|2[0-3]):[0-5][0-9] [A-Z]{1,10} "
    rb"((?:/?[^ ]+)*) ([1-5])[0-9]{2} ([0-9]{1,12})"
)


def shown(path):
    """The path as printable ASCII."""
    out = []
    for byte in path:
        if byte == 0x5C:
            out.append("\\\\")
        elif 0x21 <= byte <= 0x7E:
            out.append(chr(byte))
        else:
            out.append(f"\\x{byte:02x}")
    return "".join(out)


def main():
    hours, classes, paths = Counter(), Counter(), Counter()
    records = malformed = size = 0
    for line in sys.stdin.buffer:
        match = RECORD.fullmatch(line.removesuffix(b"\n"))
        if match is None or not match[2].startswith(b"/"):
            malformed += 1
            continue
        records += 1
        hours[match[1].decode()] += 1
        paths[match[2]] += 1
        classes[match[3].decode()] += 1
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
