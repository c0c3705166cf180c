"""Texts with expressions in them, taken apart and written again: f-string, `%`, format() and `+`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from arena.tracks.mutation.operators._scopes import source

# Single quotes before triple ones, which are needed only where the text has line breaks or both marks.
QUOTES = ('"', "'", '"""', "'''")


@dataclass(frozen=True, eq=False)
class Expr:
    """An expression whose text stands in a text; `extra` is an f-string's conversion and format."""

    node: cst.BaseExpression
    extra: str = ""


Piece = str | Expr


def pieces_of(node: cst.BaseExpression) -> tuple[Piece, ...]:
    """A string literal's texts and expressions, in order."""
    return tuple(_pieces(node))


def _pieces(node: cst.BaseExpression) -> Iterator[Piece]:
    if isinstance(node, cst.ConcatenatedString):
        yield from _pieces(node.left)
        yield from _pieces(node.right)
    elif isinstance(node, cst.SimpleString):
        value = node.evaluated_value
        yield value if isinstance(value, str) else ""
    elif isinstance(node, cst.FormattedString):
        for part in node.parts:
            if isinstance(part, cst.FormattedStringExpression):
                yield Expr(
                    part.expression, source(part)[1 + len(source(part.expression)) : -1].strip()
                )
            elif isinstance(part, cst.FormattedStringText):
                yield _unescape_text(node, part.value)


def _unescape_text(node: cst.FormattedString, text: str) -> str:
    """The text that a part of an f-string stands for."""
    plain = text.replace("{{", "{").replace("}}", "}")
    # libcst gives the text of an f-string's part as it is written, with its escapes.
    if "r" in node.prefix.lower():
        return plain
    value = cst.SimpleString(f"{node.quote}{plain}{node.quote}").evaluated_value
    return value if isinstance(value, str) else ""


def plain_text(pieces: Sequence[Piece]) -> str:
    """The texts alone."""
    return "".join(piece for piece in pieces if isinstance(piece, str))


def literal(text: str) -> cst.BaseExpression:
    """A string literal; over several lines in three quotes."""
    return _quote_text("", _escape_text(text), []) or cst.SimpleString(repr(text))


def render_literal(pieces: Sequence[Piece]) -> cst.BaseExpression | None:
    """A literal of the same text: an f-string only where expressions stand in it."""
    texts = [piece for piece in pieces if isinstance(piece, str)]
    return literal("".join(texts)) if len(texts) == len(pieces) else f_string(pieces)


def _escape_text(text: str) -> str:
    table = {"\\": "\\\\", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
    return "".join(table.get(character, character) for character in text)


def _quote_text(prefix: str, body: str, inner: Sequence[str]) -> cst.BaseExpression | None:
    """A literal in the first quotes that neither its text nor its expressions hold."""
    for quote in QUOTES:
        lines = "\n" in body and len(quote) == 1
        if (
            lines
            or quote in body
            # A quote at the end would join the closing ones, of which there may be three.
            or body.endswith(quote[0])
            or any(quote in text for text in inner)
        ):
            continue
        return cst.parse_expression(f"{prefix}{quote}{body}{quote}")
    return None


def f_string(pieces: Sequence[Piece]) -> cst.BaseExpression | None:
    """f"...{value}..."; None where an expression cannot stand in an f-string."""
    inner = [source(p.node) for p in pieces if isinstance(p, Expr)]
    # Before Python 3.12 an expression in an f-string holds no backslash and no comment, and no line break
    # between single quotes.
    if any("\\" in text or "\n" in text or "#" in text for text in inner):
        return None
    body = "".join(
        "{" + source(p.node) + p.extra + "}"
        if isinstance(p, Expr)
        else _escape_text(p).replace("{", "{{").replace("}", "}}")
        for p in pieces
    )
    return _quote_text("f", body, inner)


def _fill_template(
    pieces: Sequence[Piece], hole: str, doubled: str
) -> tuple[str, list[cst.BaseExpression]] | None:
    """A template and what goes into its holes; None where an f-string's format would be lost."""
    if any(isinstance(p, Expr) and p.extra for p in pieces):
        return None
    text = ""
    for piece in pieces:
        plain = piece if isinstance(piece, str) else ""
        for character in doubled:
            plain = plain.replace(character, character * 2)
        text += hole if isinstance(piece, Expr) else plain
    return text, [p.node for p in pieces if isinstance(p, Expr)]


def render_format_call(pieces: Sequence[Piece]) -> cst.BaseExpression | None:
    """ "...{}...".format(value)"""
    filled = _fill_template(pieces, "{}", "{}")
    if filled is None:
        return None
    template = cst.Attribute(literal(filled[0]), cst.Name("format"))
    return cst.Call(template, [cst.Arg(bare(value)) for value in filled[1]])


def bare(node: cst.BaseExpression) -> cst.BaseExpression:
    """An expression without parentheses that an argument does not need."""
    # Without parentheses a tuple would become several arguments, and the other two are not valid among
    # others.
    if isinstance(node, cst.Tuple | cst.GeneratorExp | cst.NamedExpr):
        return node
    return node.with_changes(lpar=[], rpar=[])
