"""Function names that agree between builds of the same source.

gcc and clang name the same function differently (`operator[]` against
`(anonymous namespace)::Box<int, 4>::operator[](int) const`), and optimisation adds suffixes
(`parse.constprop.0`). `plain_name` takes away everything that differs.
"""

from __future__ import annotations

import re

from parsers.crashes._lambdas import lambda_name
from parsers.crashes._mangled import readable

MAX_NAME = 400

# Operators whose names hold brackets, those of an expression (as demanglers print `(2) < (4)`), arrows,
# brackets, and runs of anything else.
_TOKEN = re.compile(
    r"\boperator\s{0,2}(?:(?:new|delete)\[\]|\(\)|\[\]|<=>|<<=|>>=|->\*|->|<<|>>|<=|>=|<|>)"
    r"|(?<=\)) (?:<=>|<<|>>|<=|>=|->|<|>) (?=\()"
    r"|->|[()<>\[\]]|(?:(?!\boperator|(?<=\)) [<>-])[^()<>\[\]-])+|."
)
_OPERATOR_TAIL = re.compile(r"(?:^|(?<=[\s:]))operator\b.*$")
# Before the name of a function that returns a pointer to a function: `void (*f(char))(int)`.
_RETURNS_POINTER = re.compile(r"(?:^|\s)\([*&]{1,2}(?=[A-Za-z_])")
# A dot alone is no sign of a compiler's copy: `parse.counter` is a name and stays whole.
_CLONE = re.compile(
    r"\.(?:constprop|isra|part|cold|llvm|lto_priv|localalias|resolver|clone|cfi)(?![A-Za-z_])"
    r"|@plt$|@@?[A-Z]\w*_[\d.]+$"
)
_ANONYMOUS = ("(anonymous namespace)::", "`anonymous namespace'::", "{anonymous}::")
# Of a method: each may follow another, as in `get() const &`.
_QUALIFIERS = re.compile(r"(?: +(?:const|volatile|noexcept|&&|&))+$")
_OPEN, _CLOSE = frozenset("(<["), frozenset(")>]")


def plain_name(function: str) -> str:
    """`function` without parameters, template arguments, return type, anonymous namespaces,
    qualifiers and compiler suffixes, so that builds of the same source by gcc and clang agree.

    >>> plain_name("void (anonymous namespace)::Box<int, 4>::put(int) const [clone .isra.0]")
    'Box::put'
    """
    for anonymous in _ANONYMOUS:
        function = function.replace(anonymous, "")
    function = function[: 4 * MAX_NAME]
    inner = _RETURNS_POINTER.search(function)
    if inner and not _first_open(function[: inner.start()]):
        function = function[inner.end() :]
    name = _CLONE.split(_drop_brackets(function).strip(), maxsplit=1)[0]
    name = _QUALIFIERS.sub("", name)
    name = _drop_return_type(" ".join(name.split()))
    name = lambda_name("::".join(part for part in name.split("::") if part))
    return "".join(c if c.isprintable() else "?" for c in name[:MAX_NAME])


# ClusterFuzz cuts each line of a crash's state to so many characters.
MAX_STATE_LINE = 80
CUT = "\u2026"
ENTRY = "LLVMFuzzerTestOneInput"
_INLINE = re.compile(r"\bstd::__\w{1,20}::", re.ASCII)
_FILE = re.compile(r"[\w.+-]{1,200}\.(?:c|cc|cpp|cxx|c\+\+|h|hh|hpp|m|mm|inc)", re.ASCII)
# The line before a state's functions: the type of UBSan's message, and of what the object was. Where that
# is not known the innermost function stands right behind, which differs from a type with an alias only.
_CAST = re.compile(r"Bad-cast to (?:.*'\)(?P<name>.+)|.*)")
_ADDRESS, _NUMBER = re.compile(r"0x[0-9a-fA-F]+"), re.compile(r"[0-9]{4,}")


def stated_name(line: str) -> str:
    """The plain name in a line of a crash's state, mangled or not, the same for both C++ libraries.

    As ClusterFuzz writes it: the entry point for the file that stands for it, NUMBER and ADDRESS for what
    these stand for. Of a line that was cut, at `MAX_STATE_LINE` or at its first "(", it is what is left, with
    `CUT` behind it: the beginning of a name, or of its scope where the cut is inside of template arguments.
    Nothing where that says nothing, as of the types of a bad cast.

    >>> stated_name("std::__1::map<int, int>::at(int)")
    'std::map::at'
    """
    if line.startswith(WILD_CALL):
        return line
    cast = _CAST.fullmatch(line)
    if cast:
        line = "" if " from " in line else cast["name"] or ""
    if _FILE.fullmatch(line.strip()):
        return ENTRY
    name = _INLINE.sub("std::", plain_name(readable(line))).replace(CUT, "?")
    name = _NUMBER.sub("NUMBER", _ADDRESS.sub("ADDRESS", name))
    open_bracket = _first_open(line)
    if open_bracket == "<" and name:
        return "" if name.startswith("std::") else f"{name}::{CUT}"
    if not name or open_bracket or not _is_cut(line, name):
        return name
    return f"{name}::{CUT}" if line.endswith(":") else name + CUT


WILD_CALL = "call-of-0x"
# Where Linux maps programs, libraries, stacks and the sanitizers' heaps, elsewhere in each run.
_MAPPED = range(0x500000000000, 0x800000000000)


def wild_call_name(address: int) -> str:
    """What stands for the function in a call through a wild pointer, which leaves no stack to read.

    The address distinguishes two such calls, or its place in the page where that is mapped at random.
    """
    return f"{WILD_CALL}{address % 0x1000 if address in _MAPPED else address:x}"


def hides_innermost(line: str) -> bool:
    """Whether a state's first line has the innermost function behind a type, which hides its name."""
    cast = _CAST.fullmatch(line)
    return cast is not None and not cast["name"] and " from " not in line


def _is_cut(line: str, name: str) -> bool:
    """Whether a line was cut: at its full length, where a blank at the end is lost, or behind `operator`."""
    return (
        MAX_STATE_LINE - 1 <= len(line) <= MAX_STATE_LINE or name.rpartition("::")[2] == "operator"
    )


def begins(cut: str, name: str) -> bool:
    """Whether `name` may be what `cut`, which ends with CUT, is the beginning of."""
    return f"{name.removesuffix(CUT)}::".startswith(cut.removesuffix(CUT))


def _first_open(text: str) -> str:
    """The outermost bracket that is not closed, or ""."""
    open_brackets: list[str] = []
    for token in _TOKEN.findall(text):
        if token in _OPEN:
            open_brackets.append(token)
        elif token in _CLOSE and open_brackets:
            open_brackets.pop()
    return open_brackets[0] if open_brackets else ""


def _drop_brackets(text: str) -> str:
    pieces: list[str] = []
    depth = 0
    for token in _TOKEN.findall(text):
        if token in _OPEN:
            depth += 1
        elif token in _CLOSE:
            depth = max(0, depth - 1)
        elif depth == 0:
            pieces.append(token)
    return "".join(pieces)


def _drop_return_type(name: str) -> str:
    operator = _OPERATOR_TAIL.search(name)
    if operator is None:
        return name.rpartition(" ")[2]
    scope = name[: operator.start()]
    return scope.rpartition(" ")[2] + operator[0]
