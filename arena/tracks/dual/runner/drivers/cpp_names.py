"""Which functions a C++ program defines: by reading it, in linear time, without a compiler.

It knows namespaces, classes and their access labels; templates and macros it does not see through.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

LARGEST = 1 << 20
DEEPEST = 50
# A quote behind a digit separates digits (1'000) and opens no literal.
_NEXT = re.compile(r"""//|/\*|R"[^()\\\s"]{0,16}\(|"|(?<![0-9A-Fa-f])'|^[ \t]*\#""", re.M)
_LITERAL_END = {
    '"': re.compile(r'(?:[^"\\\n]|\\.)*+"?', re.S),
    "'": re.compile(r"(?:[^'\\\n]|\\.)*+'?", re.S),
}
_DIRECTIVE_END = re.compile(r"(?:[^\n\\]|\\.)*+", re.S)
_BOUNDARY = re.compile(r"[{};]")
_NAMESPACE = re.compile(r'^\s*(?:(?:inline\s+)?namespace\b\s*([\w:]*)|extern\s+"")\s*$')
_CLASS = re.compile(r"\b(class|struct)\s+(\w+)[^()=]*$")
_FUNCTION = re.compile(r"\b([A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)\s*\(")
_ACCESS = re.compile(r"\b(public|private|protected)\s*:(?!:)")
_WORDS = re.compile(
    r"if|for|while|switch|catch|operator|decltype|noexcept|alignas|return|sizeof|main|__attribute__|static_assert"
)
_LAST_NAME = re.compile(r"([A-Za-z_]\w*)\s*$")


@dataclass(frozen=True)
class Definition:
    """A function: name with its namespaces, the class of a method that needs an object ("" for the rest)."""

    name: str
    owner: str
    parameters: tuple[str, ...]

    @property
    def short(self) -> str:
        return self.name.rpartition("::")[2]


@dataclass
class _Scope:
    kind: str  # "namespace", "class", "other"
    name: str = ""
    public: bool = True


@dataclass
class _CppReading:
    scopes: list[_Scope] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)


def bare(text: str) -> str:
    """The program without comments, directives and the content of literals."""
    parts: list[str] = []
    at = 0
    while match := _NEXT.search(text, at):
        parts.append(text[at : match.start()])
        start = match.group()
        if start == "//" or start.endswith("#"):
            end = _end_of(_DIRECTIVE_END, text, match.end())
        elif start == "/*":
            end = _position_after(text, "*/", match.end())
        elif start.startswith("R"):
            end = _position_after(text, f'){start[2:-1]}"', match.end())
            parts.append('""')
        else:
            end = _end_of(_LITERAL_END[start], text, match.end())
            parts.append('""')
        parts.append(" ")
        at = end
    return "".join(parts) + text[at:]


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _position_after(text: str, end: str, at: int) -> int:
    position = text.find(end, at)
    return len(text) if position < 0 else position + len(end)


def definitions(text: str) -> tuple[Definition, ...]:
    """The functions and public methods that `text` defines, in their order. () when it is too large."""
    if len(text) > LARGEST:
        return ()
    reading = _CppReading()
    plain = bare(text)
    last = 0
    for match in _BOUNDARY.finditer(plain):
        head, last = plain[last : match.start()], match.end()
        _access(reading.scopes, head)
        if match.group() == "{":
            reading.scopes.append(_open_scope(reading, head))
        elif match.group() == "}" and reading.scopes:
            reading.scopes.pop()
    return tuple(reading.definitions)


def _access(scopes: list[_Scope], head: str) -> None:
    labels = _ACCESS.findall(head) if scopes and scopes[-1].kind == "class" else []
    if labels:
        scopes[-1].public = labels[-1] == "public"


def _open_scope(reading: _CppReading, head: str) -> _Scope:
    """What a brace behind `head` opens; a function is noted."""
    if len(reading.scopes) > DEEPEST or (reading.scopes and reading.scopes[-1].kind == "other"):
        return _Scope("other")
    if namespace := _NAMESPACE.match(head):
        return _Scope("namespace", namespace.group(1) or "")
    head = _ACCESS.sub(" ", head)
    kind = _CLASS.search(head)
    if kind and "enum" not in head and not _FUNCTION.search(head):
        # A template has no single class to make an object of.
        return _Scope("other" if "template" in head else "class", kind[2], kind[1] == "struct")
    _note(reading, head)
    return _Scope("other")


def _note(reading: _CppReading, head: str) -> None:
    match = _FUNCTION.search(head)
    if not match or _WORDS.fullmatch(match[1]) or re.search(r"\btemplate\b|\boperator\b", head):
        return
    before = head[: match.start()]
    owner = reading.scopes[-1] if reading.scopes and reading.scopes[-1].kind == "class" else None
    if (
        "=" in before
        or not before.strip()
        or (owner and (match[1] == owner.name or not owner.public))
    ):
        return
    outer = "::".join(scope.name for scope in reading.scopes if scope.name)
    name = f"{outer}::{match[1]}" if outer else match[1]
    is_static = re.search(r"\bstatic\b", before) is not None
    parameters = _parameters(head[match.end() :])
    reading.definitions.append(
        Definition(name, outer if owner and not is_static else "", parameters)
    )


def _parameters(text: str) -> tuple[str, ...]:
    """The names of the parameters in `text`, which begins behind the opening parenthesis."""
    depth = 0
    names: list[str] = []
    start = 0
    for place, letter in enumerate(text[:10_000]):
        if depth == 0 and letter in ",)":
            names.append(_parameter(text[start:place]))
            start = place + 1
            if letter == ")":
                break
        depth += (letter in "<([{") - (letter in ">)]}")
    return tuple(names) if names != [""] else ()


def _parameter(text: str) -> str:
    match = _LAST_NAME.search(text.partition("=")[0].partition("[")[0].strip())
    return match.group(1) if match and match.start() else ""


def _fold_name(name: str) -> str:
    return name.rpartition("::")[2].replace("_", "").casefold()


def find(text: str, names: list[str]) -> dict[str, Definition]:
    """The definition meant by each name: exact, else by letters, else (for a single name) the only function.

    Names that cannot be matched by reading are left out.
    """
    there = definitions(text)
    by_name: dict[str, Definition] = {}
    for name in names:
        wanted = name.replace(".", "::")
        ways = (
            [d for d in there if d.name == wanted],
            [d for d in there if d.short == wanted and not d.owner],
            [d for d in there if d.short == wanted],
            [d for d in there if _fold_name(d.name) == _fold_name(wanted)],
        )
        alike = next((way for way in ways if way), [])
        free = [d for d in there if not d.owner]
        if not alike and len(names) == 1 and len(free) == 1:
            alike = free
        if alike:
            by_name[name] = alike[0]
    return by_name
