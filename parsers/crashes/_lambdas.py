"""Lambdas: a common name for what gcc, clang and their demanglers call differently.

clang writes `f::$_0::operator()` (and `f()::'lambda'()::operator()` in inline functions); gcc with line
numbers only `operator()`, without them `f::{lambda(int)#1}::operator()`. A lambda that becomes a pointer to a
function is called through `$_0::__invoke` (clang) or `_FUN` (gcc), which are no functions of the project's.
"""

from __future__ import annotations

import re

LAMBDA = "{lambda}"
CALL = "operator()"
_SCOPE = re.compile(r"\$_\d{1,5}|'lambda\d{0,5}'|\{lambda[^{}]{0,40}\}|<lambda>")
_THUNKS = ("_FUN", "__invoke")


def lambda_name(name: str) -> str:
    """`name` with a single spelling of the lambdas in it, and their thunks as the lambda itself.

    >>> lambda_name("f::$_5::operator()"), lambda_name("f::{lambda#2}::_FUN"), lambda_name("_FUN")
    ('f::{lambda}::operator()', 'f::{lambda}::operator()', '{lambda}::operator()')
    """
    parts = [LAMBDA if _SCOPE.fullmatch(part) else part for part in name.split("::")]
    if parts[-1] == _THUNKS[0] and LAMBDA not in parts:
        parts.insert(-1, LAMBDA)
    if parts[-1] in _THUNKS and LAMBDA in parts[:-1]:
        parts[-1] = CALL
    return "::".join(parts)


def lambda_scope(function: str) -> str:
    """The function around the lambda that is the first among the template arguments of `function`, or "".

    >>> lambda_scope("__invoke<(anonymous namespace)::race(int)::<lambda()>, std::map<int, int> >")
    '(anonymous namespace)::race(int)'
    """
    place = function.find("::<lambda")
    depth = 0
    for start in range(place - 1, -1, -1):
        character = function[start]
        if depth == 0 and character in "<,":
            return function[start + 1 : place].strip()
        depth += (character in ">)") - (character in "<(")
    return ""
