import math
import re

TOKEN = re.compile(r" *(?:([0-9]+(?:\.[0-9]+)?)|([A-Z]{1,2}[0-9]{1,3})|([-+*/^()]))")
DEEPEST = 100


class NoFormula(Exception):
    """The text is no formula, or has no finite value."""


def tokens_of(formula):
    text = formula.rstrip(" ")
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise NoFormula
        found.append(match.groups())
        at = match.end()
    return found


class Reader:
    def __init__(self, tokens, cells):
        self.tokens = tokens
        self.cells = cells
        self.at = 0
        self.depth = 0

    def take(self, signs):
        """The sign that comes next, if it is one of these."""
        if self.at < len(self.tokens):
            sign = self.tokens[self.at][2]
            if sign is not None and sign in signs:
                self.at += 1
                return sign
        return None

    def sum(self):
        value = self.product()
        while sign := self.take("+-"):
            other = self.product()
            value = finite(value + other if sign == "+" else value - other)
        return value

    def product(self):
        value = self.signed()
        while sign := self.take("+-*/"):
            other = self.signed()
            if sign == "/" and other == 0:
                raise NoFormula
            value = finite(value * other if sign == "*" else value / other)
        return value

    def signed(self):
        self.depth += 1
        if self.depth > DEEPEST:
            raise NoFormula
        value = -self.signed() if self.take("-") else self.power()
        self.depth -= 1
        return value

    def power(self):
        value = self.single()
        if not self.take("^"):
            return value
        exponent = self.single()
        try:
            return finite(math.pow(value, exponent))
        except (OverflowError, ValueError) as error:
            raise NoFormula from error

    def single(self):
        if self.take("("):
            value = self.sum()
            if not self.take(")"):
                raise NoFormula
            return value
        if self.at == len(self.tokens):
            raise NoFormula
        number, cell, _ = self.tokens[self.at]
        self.at += 1
        if number is not None:
            return finite(float(number))
        if cell is None or cell not in self.cells:
            raise NoFormula
        return float(self.cells[cell])


def finite(value):
    if not math.isfinite(value):
        raise NoFormula
    return value


def evaluate(formula, cells):
    try:
        reader = Reader(tokens_of(formula), cells)
        value = reader.sum()
    except NoFormula:
        return None
    return value if reader.at == len(reader.tokens) else None
