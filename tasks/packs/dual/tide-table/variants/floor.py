import re
import sys

STATION = re.compile(r"station ([!-~]|[!-~][ -~]{0,78}[!-~])")
SLOTS = re.compile(r"slots ([1-9][0-9]?)")
READING = re.compile(
    r"(0|[1-9][0-9]?) ((?:[01][0-9]|2[0-3]):[0-5][0-9]) (0|-?[1-9][0-9]{0,3})"
)
MOST_SLOTS = 96
HIGHEST = 2000


class Malformed(Exception):
    """The input is not as described."""


def matched(form, line):
    match = form.fullmatch(line)
    if match is None:
        raise Malformed(line)
    return match


def metres(cm):
    sign = "-" if cm < 0 else ""
    return f"{sign}{abs(cm) // 100}.{abs(cm) % 100:02}"


def readings_of(lines, slots):
    """Slot -> time and height."""
    found = {}
    for line in lines:
        match = matched(READING, line)
        slot, height = int(match[1]), int(match[3])
        if slot >= slots or slot in found or abs(height) > HIGHEST:
            raise Malformed(line)
        found[slot] = (match[2], height)
    return found


def mean_of(heights):
    if not heights:
        return "0.00"
    total = sum(heights)
    mean = abs(total) // len(heights)
    return metres(total // len(heights))


def convert(text):
    lines = text.removesuffix("\n").split("\n")
    if len(lines) < 2:
        raise Malformed("too few lines")
    name = matched(STATION, lines[0])[1]
    slots = int(matched(SLOTS, lines[1])[1])
    if slots > MOST_SLOTS:
        raise Malformed(lines[1])
    found = readings_of(lines[2:], slots)
    out = [name]
    for slot in range(slots):
        if slot in found:
            time, height = found[slot]
            out.append(f"{slot} {time} {metres(height)}")
        else:
            out.append(f"{slot} - -")
    out.append("mean " + mean_of([height for _, height in found.values()]))
    return "\n".join(out) + "\n"


def main():
    source, target = sys.argv[1:3]
    try:
        with open(source, encoding="ascii", newline="") as file:
            text = convert(file.read())
    except (Malformed, UnicodeDecodeError):
        return 1
    with open(target, "w", encoding="ascii", newline="") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
