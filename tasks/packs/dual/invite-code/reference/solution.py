"""Codes on invitation cards."""

import secrets

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
VALUES = {sign: value for value, sign in enumerate(ALPHABET)}
VALUES |= {sign.lower(): value for sign, value in VALUES.items()}
SIGNS, MOST, LONGEST = 11, 1000, 100


def _check_value(values):
    return sum((2 * place + 1) * value for place, value in enumerate(values)) % 32


def _written(values):
    text = "".join(ALPHABET[value] for value in values)
    return f"{text[:4]}-{text[4:8]}-{text[8:]}"


def _new_code():
    values = [secrets.randbelow(len(ALPHABET)) for _ in range(SIGNS)]
    return _written([*values, _check_value(values)])


def make_codes(count):
    """That many new codes, or None for another number than 1 to 1000."""
    if type(count) is not int or not 1 <= count <= MOST:
        return None
    codes = set()
    while len(codes) < count:
        codes.add(_new_code())
    return list(codes)


def read_code(text):
    """The code that was typed, in its form; None where it is none."""
    if not isinstance(text, str) or len(text) > LONGEST:
        return None
    signs = [sign for sign in text if sign not in " -"]
    if len(signs) != SIGNS + 1 or not all(sign in VALUES for sign in signs):
        return None
    values = [VALUES[sign] for sign in signs]
    return _written(values) if _check_value(values[:SIGNS]) == values[SIGNS] else None
