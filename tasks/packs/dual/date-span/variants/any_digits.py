import re
import sys
from datetime import date

DAY = re.compile(r"^(\d{4})-(\d{2})-(\d{2})$")
MARK = re.compile(r"\{(days|start|end)\}")


def day_of(text):
    match = DAY.match(text)
    if match is None:
        raise ValueError("a day is written like 2031-05-02")
    return date(*(int(part) for part in match.groups()))


def span(arguments):
    """The line to print. Raises ValueError with what is wrong."""
    if len(arguments) not in (2, 3):
        raise ValueError("usage: date-span START END [LABEL]")
    start, end = arguments[:2]
    days = (day_of(end) - day_of(start)).days + 1
    if days < 1:
        raise ValueError("the end comes before the start")
    values = {"days": str(days), "start": start, "end": end}
    label = arguments[2] if len(arguments) == 3 else "{days}"
    return MARK.sub(lambda match: values[match[1]], label)


def main():
    try:
        line = span(sys.argv[1:])
    except ValueError as error:
        print(f"date-span: {error}", file=sys.stderr)
        return 2
    print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
