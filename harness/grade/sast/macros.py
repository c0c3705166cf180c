"""C's preprocessing tokens, and the expansion of macros in a run of them, within a bound.

The algorithm is Prosser's, which is behind the C standard: each token carries the names of the macros
that it came out of, and is not expanded by these again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

# Each alternative also takes its unterminated form, so that no text makes the matcher start over.
_TOKEN = re.compile(
    r"""
      (?P<raw>    (?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\( )
    | (?P<line>   \n )
    | (?P<space>  [ \t\r\f\v]+ | //[^\n]* | /\*(?:[^*]|\*(?!/))*(?:\*/)? )
    | (?P<text>   (?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"? | [uUL]?'(?:[^'\\\n]|\\.)*'? )
    | (?P<word>   [^\W\d][\w$]* )
    | (?P<number> \.?\d(?:[eEpP][+-]|[\w.])* )
    | (?P<sign>   %:%: | \#\# | %: | <% | %> | <: | :> | \.\.\. | . )
    """,
    re.VERBOSE,
)
# The same without raw strings: what begins like one and does not end is a word.
_PLAIN_TOKEN = re.compile(_TOKEN.pattern.replace('R"(?P<mark>', 'R"(?!)(?P<mark>'), re.VERBOSE)
# Characters of a raw string.
_MAX_RAW_CHARACTERS = 2000
_DIGRAPHS = {"%:": "#", "%:%:": "##", "<%": "{", "%>": "}", "<:": "[", ":>": "]"}
# Blanks behind the backslash too: gcc and clang join such lines, with a warning.
_SPLICE = re.compile(r"\\[ \t]*\r?\n")
_MAX_DEPTH = 40
# Pasting copies the text before it: a chain of `##` takes time by the square, so it pays by length.
# Steps for each `##`, and the binary logarithm of the characters that are pasted in a step's time.
_PASTE, _PASTED_SHIFT = 3, 6
_REST = "__VA_ARGS__"

Place = tuple[str, int]


class ExpansionTooLarge(Exception):
    """The expansion is larger or deeper than code that people write."""


@dataclass(frozen=True, slots=True)
class MacroToken:
    """kind: word, number, text or sign; space: white space goes before it; place: file and line."""

    kind: str
    text: str
    space: bool
    place: Place
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Macro:
    """A macro. parameters: None without a list of them. rest: the parameter for all further arguments."""

    name: str
    parameters: tuple[str, ...] | None
    body: tuple[MacroToken, ...]
    rest: str = ""


@dataclass
class MacroBudget:
    """Steps that are left; everything that makes tokens pays here."""

    left: int

    def pay(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise ExpansionTooLarge


def token_lines(path: str, content: bytes) -> Iterator[list[MacroToken]]:
    """The tokens of each line, without comments; lines joined by a backslash count as a single line."""
    text = content.decode("utf-8", "replace")
    number = 1
    line: list[MacroToken] = []
    space = False
    spliced = [0, *(match.start() for match in _SPLICE.finditer(text))]
    joined = _SPLICE.sub("", text) if len(spliced) > 1 else text
    owed = _owed(text)
    for kind, token in _tokens(joined):
        if kind == "line":
            yield line
            line, space = [], False
            number += 1 + next(owed, 0)
            continue
        if kind == "space":
            space = True
        else:
            word = _DIGRAPHS.get(token, token) if kind == "sign" else token
            line.append(MacroToken(kind, word, space, (path, number)))
            space = False
        for _ in range(token.count("\n")):  # in comments and raw strings
            number += 1 + next(owed, 0)
    yield line


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each token. Raw strings are texts.

    The end of a comment is searched by `str.find`: a pattern tries 2,000 characters after each start, which
    took half a minute for a file of beginnings.
    """
    at = 0
    while match := _TOKEN.match(text, at):
        kind = match.lastgroup or ""
        if kind == "raw":
            mark = f'){match["mark"]}"'
            end = text.find(mark, match.end(), match.end() + _MAX_RAW_CHARACTERS + len(mark))
            if end >= 0:
                yield "text", text[at : end + len(mark)]
                at = end + len(mark)
                continue
            match = _PLAIN_TOKEN.match(text, at)
            if match is None:
                return
            kind = match.lastgroup or ""
        yield kind, match[0]
        at = match.end()


def _owed(text: str) -> Iterator[int]:
    """For each line end that stays, how many were spliced away in the line before it."""
    joined = 0
    for line in text.split("\n"):
        if line.rstrip(" \t\r").endswith("\\"):
            joined += 1
        else:
            yield joined
            joined = 0


def macro(tokens: Sequence[MacroToken]) -> Macro | None:
    """The macro that the rest of a `#define` makes, None when it is malformed."""
    if not tokens or tokens[0].kind != "word":
        return None
    name, body = tokens[0].text, tokens[1:]
    if not body or body[0].text != "(" or body[0].space:
        return Macro(name, None, tuple(body))
    end = next((at for at, token in enumerate(body) if token.text == ")"), None)
    if end is None:
        return None
    names = [token.text for token in body[1:end] if token.text != ","]
    rest = ""
    if names and names[-1] == "...":
        names.pop()
        named = end > 2 and body[end - 2].kind == "word"  # `args...`
        rest = names.pop() if named and names else _REST
    return Macro(name, tuple(names), tuple(body[end + 1 :]), rest)


def expand(
    tokens: Sequence[MacroToken], macros: Mapping[str, Macro], budget: MacroBudget, depth: int = 0
) -> tuple[list[MacroToken], list[MacroToken]]:
    """The expanded tokens, and those from the name of a macro on whose call does not end here."""
    if depth > _MAX_DEPTH:
        raise ExpansionTooLarge
    done: list[MacroToken] = []
    todo = list(reversed(tokens))
    while todo:
        token = todo.pop()
        budget.pay(1)
        macro = macros.get(token.text) if token.kind == "word" else None
        if macro is None or macro.name in token.hidden:
            done.append(token)
            continue
        if macro.parameters is None:
            hidden = token.hidden | {macro.name}
            body = _substitute_arguments(macro, {}, {}, token.place, budget)
        elif not (todo and todo[-1].text == "("):
            done.append(token)
            continue
        else:
            call = _arguments(todo, budget)
            if call is None:
                return done, [token, *reversed(todo)]
            arguments, closing = call
            hidden = (token.hidden & closing.hidden) | {macro.name}
            bound, full = _bind_arguments(macro, arguments, macros, budget, depth)
            body = _substitute_arguments(macro, bound, full, token.place, budget)
        budget.pay(len(body))
        todo += reversed(_mark_hidden(body, hidden))
    return done, []


def _mark_hidden(body: list[MacroToken], hidden: frozenset[str]) -> list[MacroToken]:
    return [
        replace(token, hidden=token.hidden | hidden, space=token.space or not at)
        for at, token in enumerate(body)
    ]


def _arguments(
    todo: list[MacroToken], budget: MacroBudget
) -> tuple[list[list[MacroToken]], MacroToken] | None:
    """Take the arguments of a call, and its `)`, from the end of `todo`; None when there is no `)`."""
    arguments: list[list[MacroToken]] = [[]]
    level = 0
    for at in range(len(todo) - 1, -1, -1):
        token = todo[at]
        level += (token.text == "(") - (token.text == ")")
        if level == 0:
            budget.pay(len(todo) - at)
            del todo[at:]
            return arguments, token
        if level == 1 and token.text == ",":
            arguments.append([])
        elif level > 1 or token.text != "(":
            arguments[-1].append(token)
    budget.pay(len(todo))
    return None


def _bind_arguments(
    macro: Macro,
    arguments: list[list[MacroToken]],
    macros: Mapping[str, Macro],
    budget: MacroBudget,
    depth: int,
) -> tuple[dict[str, list[MacroToken]], dict[str, list[MacroToken]]]:
    """The arguments of a call by name, as written and expanded."""
    names = macro.parameters or ()
    values: dict[str, list[MacroToken]] = {name: [] for name in names}
    values.update(zip(names, arguments, strict=False))
    if macro.rest:
        rest: list[MacroToken] = []
        for number, argument in enumerate(arguments[len(names) :]):
            if number and argument:
                rest.append(MacroToken("sign", ",", False, argument[0].place))
            rest += argument
        values[macro.rest] = rest
    full: dict[str, list[MacroToken]] = {}
    for name, argument in values.items():
        done, unfinished = expand(argument, macros, budget, depth + 1)
        full[name] = done + unfinished
    return values, full


def _substitute_arguments(
    macro: Macro,
    written: Mapping[str, list[MacroToken]],
    expanded: Mapping[str, list[MacroToken]],
    place: Place,
    budget: MacroBudget,
) -> list[MacroToken]:
    """The body with arguments in it: `#` and `##` take them as written, all else expanded.

    An argument stays at its place; what comes out of the body stands at `place`.
    """
    out: list[MacroToken] = []
    body, at = macro.body, 0
    while at < len(body):
        token, follower = body[at], body[at + 1] if at + 1 < len(body) else None
        if token.text == "#" and follower is not None and follower.text in written:
            budget.pay(1 + len(written[follower.text]))
            out.append(replace(_string(token, written[follower.text]), place=place))
            at += 2
            continue
        if token.text == "##" and follower is not None:
            right = written.get(follower.text, [replace(follower, place=place)])
            budget.pay(_PASTE + len(right) + (len(out[-1].text) >> _PASTED_SHIFT if out else 0))
            _paste(out, right)
            at += 2
            continue
        pasted = follower is not None and follower.text == "##"
        piece = (written if pasted else expanded).get(token.text, [replace(token, place=place)])
        budget.pay(len(piece))
        if piece and token.space and not piece[0].space:
            piece = [replace(piece[0], space=True), *piece[1:]]
        out += piece
        at += 1
    return out


def _paste(out: list[MacroToken], right: list[MacroToken]) -> None:
    if not right:
        if out and out[-1].text == ",":  # GNU's `, ## __VA_ARGS__`
            out.pop()
        return
    if not out or out[-1].text == ",":
        out += right
        return
    joined = out[-1].text + right[0].text
    is_word = re.fullmatch(r"[^\W\d]\w*", joined) is not None
    out[-1] = replace(out[-1], kind="word" if is_word else out[-1].kind, text=joined)
    out += right[1:]


def _string(mark: MacroToken, tokens: Sequence[MacroToken]) -> MacroToken:
    text = spell_tokens(tokens).replace("\\", "\\\\").replace('"', '\\"')
    return MacroToken("text", f'"{text}"', mark.space, mark.place)


def spell_tokens(tokens: Sequence[MacroToken]) -> str:
    """Tokens as text, with white space where it was."""
    return "".join(
        (" " if token.space and at else "") + token.text for at, token in enumerate(tokens)
    )
