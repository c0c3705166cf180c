import re
import sys

TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|(.))")


def tokens(text):
    for number, sign in TOKEN.findall(text):
        yield float(number) if number else sign


def total(text):
    """Sums and differences only."""
    result, sign = 0.0, 1
    for token in tokens(text):
        if token == "-":
            sign = -1
        elif token == "+":
            sign = 1
        else:
            result += sign * token
    return result


print(total(sys.argv[1]))
