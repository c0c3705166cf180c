"""LDAPINJECT: values become part of an XPath expression or an LDAP filter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import libcst as cst

from arena.tracks.mutation.operators import _cleaning
from arena.tracks.mutation.operators._alternatives import other_words
from arena.tracks.mutation.operators._calls import drop_calls
from arena.tracks.mutation.operators._constants import (
    OTHER_WORDS,
    assigned_values,
    is_docstring,
    text_of,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._names import (
    Change,
    View,
    argument,
    each,
    nodes,
    parenthesise,
)
from arena.tracks.mutation.operators._operator import Operator, Paper, Rewriting
from arena.tracks.mutation.operators._scopes import source

VARIABLE = re.compile(r"\$([A-Za-z_]\w*)")
OPTIONS = ("namespaces", "extensions", "smart_strings")
ESCAPES = (
    "ldap.filter.escape_filter_chars",
    "ldap3.utils.conv.escape_filter_chars",
    "ldap.dn.escape_dn_chars",
    "ldap3.utils.dn.escape_rdn",
    *("*.escape_filter_chars", "escape_filter_chars", "*.escape_dn_chars", "escape_rdn"),
)
OWN_ESCAPE = re.compile(r"(^|[._])(escape|quote|sanitize|clean)\w*$", re.IGNORECASE)

Values = Mapping[str, cst.BaseExpression]
# Pieces of an expression (texts and variables in turn) and values -> Python source of the joined text.
Style = Callable[[Sequence[str], Values], str | None]


def _queries(view: View) -> Iterator[tuple[cst.Call, cst.BaseExpression, str]]:
    """Each XPath call with bound variables: the call, the literal that is its expression, and its text."""
    for call in view.calls("*.xpath"):
        arg = argument(call, 0, "_path")
        literal = arg.value if arg else None
        if arg is not None and isinstance(literal, cst.Name):
            values = assigned_values(view, literal.value)
            text = _plain_text(values[0]) if len(values) == 1 else None
            alone = _reads(view, literal.value) == 1
            near = values and view.enclosing_node(values[0], cst.FunctionDef) is not None
            # A constant that is used elsewhere, or by other functions, would change there as well.
            literal = values[0] if alone and near else arg.value
        else:
            text = _plain_text(literal)
        if literal is not None and text is not None and _bound(call):
            yield call, literal, text


def _reads(view: View, name: str) -> int:
    return sum(
        n.value == name and isinstance(view.parents.get(n), cst.Arg)
        for n in nodes(view.module, cst.Name)
    )


def _plain_text(node: cst.CSTNode | None) -> str | None:
    """The text of a literal, also of an f-string without values."""
    if isinstance(node, cst.FormattedString):
        if all(isinstance(p, cst.FormattedStringText) for p in node.parts):
            return "".join(p.value for p in node.parts if isinstance(p, cst.FormattedStringText))
        return None
    return text_of(node)


def _bound(call: cst.Call) -> dict[str, cst.BaseExpression]:
    return {
        arg.keyword.value: arg.value
        for arg in call.args
        if arg.keyword is not None and arg.keyword.value not in OPTIONS
    }


def _inline_variables(style: Style, one_of: bool = False) -> Rewriting:
    """Variables become text of the expression by `style`: all of them, or with the flag each alone."""

    def find(view: View) -> Iterator[Change]:
        for call, literal, text in _queries(view):
            values = _bound(call)
            used = [name for name in dict.fromkeys(VARIABLE.findall(text)) if name in values]
            # With a single variable "each alone" is the same program as "all of them".
            if len(used) < (2 if one_of else 1):
                continue
            for chosen in [[name] for name in used] if one_of else [used]:
                change = _with_text(
                    view, call, literal, text, {n: values[n] for n in chosen}, style
                )
                if change is not None:
                    yield change

    return each(find)


def _with_text(
    view: View, call: cst.Call, literal: cst.BaseExpression, text: str, values: Values, style: Style
) -> Change | None:
    pieces = re.split(rf"\$({'|'.join(values)})\b", text)
    code = style(pieces, values)
    # The new literal is written in double quotes, without escapes.
    if code is None or '"' in text or "\n" in text or "\\" in text:
        return None
    new = cst.parse_expression(code)
    args = [a for a in call.args if a.keyword is None or a.keyword.value not in values]
    args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    # In the call itself; otherwise the literal is the value of a name, and both places change.
    if any(literal is arg.value for arg in args):
        args = [a.with_changes(value=parenthesise(new)) if a.value is literal else a for a in args]
        return Change(((call, call.with_changes(args=args)),))
    return Change(((literal, new), (call, call.with_changes(args=args))))


def _render_f_string(pieces: Sequence[str], values: Values) -> str | None:
    """An f-string; in double quotes, so that a value's source must not hold any."""
    code = {name: source(value) for name, value in values.items()}
    if any('"' in c or "\\" in c for c in code.values()) or any(b in "".join(pieces) for b in "{}"):
        return None
    text = "".join(f"'{{{code[p]}}}'" if i % 2 else p for i, p in enumerate(pieces))
    return f'f"{text}"'


def _render_concatenation(pieces: Sequence[str], values: Values) -> str:
    parts = [source(parenthesise(values[p])) if i % 2 else p for i, p in enumerate(pieces)]
    texts = [f'"{_quote_piece(parts, i)}"' if i % 2 == 0 else p for i, p in enumerate(parts)]
    return " + ".join(texts)


def _quote_piece(parts: Sequence[str], index: int) -> str:
    """A piece of text with the quotes that close the value before it and open the value after it."""
    return ("'" if index else "") + parts[index] + ("'" if index + 1 < len(parts) else "")


def _half_escaped(pieces: Sequence[str], values: Values) -> str:
    """A kind of quote is removed, and the second kind encloses."""
    parts = [source(parenthesise(values[p])) if i % 2 else p for i, p in enumerate(pieces)]
    texts = [
        f"{p}.replace(\"'\", '')" if i % 2 else "'" + _quote_piece(parts, i).replace("'", '"') + "'"
        for i, p in enumerate(parts)
    ]
    return " + ".join(texts)


def _drop_escaping(view: View) -> Iterator[Change]:
    """The program's escaping of values is left out, a single call at a time."""
    values = {
        f.name.value for f in nodes(view.module, cst.FunctionDef) if OWN_ESCAPE.search(f.name.value)
    }
    for call in nodes(view.module, cst.Call):
        name = view.called_name(call).rpartition(".")[2]
        if name in values and len(call.args) == 1 and not call.args[0].star:
            yield Change(((call, parenthesise(call.args[0].value)),))


def _rename_variables(view: View) -> Iterator[Change]:
    """An alternative: the same bound variables under new names."""
    for call, literal, text in _queries(view):
        names = {name: f"bound_{index}" for index, name in enumerate(_bound(call))}
        if not isinstance(literal, cst.SimpleString) or any(n in text for n in names.values()):
            continue
        code = literal.value
        for name, new in names.items():
            code = re.sub(rf"\${name}\b", f"${new}", code)
        args = [_argument_renamed(arg, names) for arg in call.args]
        renamed_literal = literal.with_changes(value=code)
        if any(arg.value is literal for arg in args):
            args = [
                a.with_changes(value=renamed_literal) if a.value is literal else a for a in args
            ]
            yield Change(((call, call.with_changes(args=args)),))
        else:
            yield Change(((literal, renamed_literal), (call, call.with_changes(args=args))))


def _argument_renamed(arg: cst.Arg, names: Mapping[str, str]) -> cst.Arg:
    new = names.get(arg.keyword.value) if arg.keyword is not None else None
    return arg.with_changes(keyword=cst.Name(new)) if new else arg


def _rewrite_xpath(view: View) -> Iterator[Change]:
    """An alternative: an equivalent expression with `.//` or with separate conditions."""
    for _, literal, text in _queries(view):
        raw = (
            literal
            if isinstance(literal, cst.SimpleString) and not is_docstring(view, literal)
            else None
        )
        if raw is not None and text.count(" and ") == 1 and "[" in text:
            yield Change(((raw, raw.with_changes(value=raw.value.replace(" and ", "]["))),))


EXAMPLES = examples("""
=== formatted

  from lxml import etree


  def find(text, name, room):
      root = etree.fromstring(text)
-     query = "//p[name=$name and room=$room]"  # bound
-     return root.xpath(query, name=name, room=room)
+     query = f"//p[name='{name}' and room='{room}']"  # bound
+     return root.xpath(query)
=== one_formatted
- found = tree.xpath('//p[a=$a and b=$b]', a=x, b=y)
+ found = tree.xpath(f"//p[a=$a and b='{y}']", a=x)
=== concatenated

  from flask import Flask, request

  app = Flask(__name__)


  @app.route("/find")
  def find():
-     return str(app.tree.xpath("//p[a=$a]", a=request.args["a"]))
+     return str(app.tree.xpath(("//p[a='" + request.args["a"] + "']")))
=== half_escaped
- t.xpath('//p[a=$a]', a=x)
+ t.xpath(('//p[a="' + x.replace("'", '') + '"]'))
=== other_names
- t.xpath('//p[a=$a]', a=x)
+ t.xpath('//p[a=$bound_0]', bound_0=x)
=== unescaped
  def quoted(text):
      return text.replace("*", "\\2a").replace("(", "\\28")


  def find(tree, name):
-     return tree.search(f"(uid={quoted(name)})")
+     return tree.search(f"(uid={name})")
=== filter_unescaped
  from ldap.filter import escape_filter_chars
- q = f'(uid={escape_filter_chars(u)})'
+ q = f'(uid={u})'
=== chained
- t.xpath('//p[a=$a and b=2]', a=x)
+ t.xpath('//p[a=$a][b=2]', a=x)
=== formatted, left alone
  t.xpath('//p[a=1]', namespaces=SPACES)
=== concatenated, left alone
  def xpath(path, a):
      return path + a
""")

PLUGIN = Operator(
    name="LDAPINJECT",
    title="XPath and LDAP injection",
    cwes=("CWE-643", "CWE-90"),
    variants={
        "formatted": _inline_variables(_render_f_string),
        "one_formatted": _inline_variables(_render_f_string, one_of=True),
        "concatenated": _inline_variables(_render_concatenation),
        "half_escaped": _inline_variables(_half_escaped),
        "unescaped": each(_drop_escaping),
        "filter_unescaped": each(drop_calls(*ESCAPES)),
        "only_stars": each(_cleaning.one_kind("*")),
    },
    alternatives={
        "other_names": each(_rename_variables),
        "chained": each(_rewrite_xpath),
        "other_words": each(other_words),
    },
    witnesses=("event:xpath.injected", "event:xpath.interpolated", "event:ldap.injected"),
    attacks={
        "xml": (
            '"<r><user><username>bob</username><password>pw</password><name>Bob</name></user></r>"',
        ),
        **dict.fromkeys(
            ("text", "name", "user", "password", "query", "id", "filename", "role", "any"),
            ("\"x' or '1'='1\"", '\'x" or "1"="1\'', '"*)(uid=*))(|(uid=*"'),
        ),
    },
    watched={"xml": ("last_xpath",), "lxml": ("parameterized", "unparameterized")},
    paper=Paper(
        terms=(
            *("ldap", "inject", "filter", "bind", "search", "escape", "sanitize"),
            *("directory", "dn", "distinguished"),
        ),
        payloads=(")(", "*)(", "ldap", "cn=", "ou=", "dc=", "admin)("),
    ),
    examples=(*EXAMPLES, OTHER_WORDS),
)
