from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable

Number = int | float

MAX_LENGTH = 200
MAX_EXPONENT = 64
LARGEST = 1e100
OPERATORS: dict[type, Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
SIGNS: dict[type, Callable[[Number], Number]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
NAMES = {"pi": math.pi, "e": math.e}
FUNCTIONS: dict[str, tuple[Callable[..., Number], int]] = {
    "sqrt": (math.sqrt, 1),
    "abs": (abs, 1),
    "round": (round, 1),
    "min": (lambda *values: min(values), 20),
    "max": (lambda *values: max(values), 20),
}


class CalculatorError(ValueError):
    """An expression that cannot be worked out."""


def calculate(expression: str) -> Number:
    if len(expression) > MAX_LENGTH:
        raise CalculatorError("the expression is too long")
    try:
        return _value(ast.parse(expression.strip(), mode="eval").body)
    except CalculatorError:
        raise
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError) as error:
        raise CalculatorError("this cannot be worked out") from error


def _value(node: ast.expr) -> Number:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return _bounded(value)
        case ast.Name(id=name) if name in NAMES:
            return NAMES[name]
        case ast.UnaryOp(op=op, operand=operand) if type(op) in SIGNS:
            return SIGNS[type(op)](_value(operand))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            first, second = _value(left), _value(right)
            if isinstance(op, ast.Pow) and abs(second) > MAX_EXPONENT:
                raise CalculatorError(f"an exponent is at most {MAX_EXPONENT}")
            return _bounded(OPERATORS[type(op)](first, second))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            function, most = FUNCTIONS[name]
            if not 1 <= len(arguments) <= most:
                raise CalculatorError(f"{name} takes another number of arguments")
            return _bounded(function(*map(_value, arguments)))
    raise CalculatorError("only numbers, operators and known names are allowed")


def _bounded(value: Number) -> Number:
    if isinstance(value, complex) or not abs(value) <= LARGEST:
        raise CalculatorError("the result is out of range")
    return value
