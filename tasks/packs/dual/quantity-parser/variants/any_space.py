import re
import sys

NUMBER = r"(\d+)(?:\.(\d+))?"
AMOUNT = re.compile(rf"^\s*(?:{NUMBER}\s*x\s*)?{NUMBER}\s*(g|kg|t)\s*$")
GRAMS = {"g": 1, "kg": 1_000, "t": 1_000_000}
MOST = 1_000_000_000_000


def thousandths(whole, fraction):
    return int(whole) * 1000 + int((fraction or "").ljust(3, "0")[:3])


def grams(text):
    """The amount in grams. Raises ValueError."""
    match = AMOUNT.match(text)
    if match is None:
        raise ValueError("not an amount")
    count, count_fraction, number, fraction, unit = match.groups()
    times = 1000 if count is None else thousandths(count, count_fraction)
    millionths = times * thousandths(number, fraction) * GRAMS[unit]
    if millionths % 1_000_000 or millionths > MOST * 1_000_000:
        raise ValueError("not a whole number of grams, or too much")
    return millionths // 1_000_000


def main():
    if len(sys.argv) != 2:
        print("usage: quantity-parser AMOUNT", file=sys.stderr)
        return 2
    try:
        print(grams(sys.argv[1]))
    except ValueError as error:
        print(f"quantity-parser: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
