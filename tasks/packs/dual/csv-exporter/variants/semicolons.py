import re
import sys

ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def unescape(text):
    out = []
    characters = iter(text)
    for character in characters:
        if character == "\\":
            following = next(characters, "")
            if following not in ESCAPED:
                raise ValueError("unknown escape")
            character = ESCAPED[following]
        out.append(character)
    return "".join(out)


def as_text(field):
    """The field, with an apostrophe where a spreadsheet would calculate it."""
    if field.lstrip(" ").startswith(FORMULA_STARTS) and not NUMBER.fullmatch(field):
        return "'" + field
    return field


def quoted(field):
    if any(character in field for character in ',"\r\n'):
        return '"' + field.replace('"', '""') + '"'
    return field


def convert(text):
    if not text:
        return ""
    lines = text.removesuffix("\n").split("\n")
    width = lines[0].count("\t") + 1
    out = []
    for line in lines:
        fields = [unescape(field) for field in line.split("\t")]
        if len(fields) != width:
            raise ValueError("wrong number of fields")
        out.append(";".join(quoted(as_text(field)) for field in fields) + "\r\n")
    return "".join(out)


def main():
    source, target = sys.argv[1:3]
    try:
        with open(source, encoding="utf-8", newline="") as file:
            text = convert(file.read())
    except ValueError:
        return 1
    with open(target, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
