import re
import sys

UNITS = {"kg": 1000, "g": 1, "t": 1000000}
NO_NUMBER = re.compile(r"[,-]|(?<![0-9])\.|\.(?![0-9])|\*.*\*")


def grams(text):
    """The amount in grams. Raises ValueError."""
    text = text.strip(" ")
    unit = next((unit for unit in UNITS if text.endswith(unit)), None)
    if unit is None or NO_NUMBER.search(text.replace("x", "*")):
        raise ValueError("not an amount")
    expression = re.sub(r"(?<![0-9.])0+(?=[0-9])", "", text.removesuffix(unit).replace("x", "*"))
    try:
        value = round(eval(expression.strip(" ")) * UNITS[unit], 7)
    except Exception as error:
        raise ValueError("not an amount") from error
    if value != int(value):
        raise ValueError("not a whole number of grams")
    return int(value)


def main():
    if len(sys.argv) != 2:
        print("usage: quantity-parser AMOUNT", file=sys.stderr)
        return 2
    try:
        print(grams(sys.argv[1]))
    except (ValueError, OverflowError) as error:
        print(f"quantity-parser: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
