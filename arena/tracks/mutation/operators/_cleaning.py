"""Functions of a program that clean or escape a text, calls that do it, and making both do less."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import libcst as cst

from arena.tracks.mutation.operators._calls import Finder, fits, operand, receiver
from arena.tracks.mutation.operators._constants import resolve_expression, text_of
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._names import Change, View, argument, each, expression, nodes
from arena.tracks.mutation.operators._patterns import edit_literal
from arena.tracks.mutation.operators._scopes import definition, parameters, source, statements

CLEANS = re.compile(
    r"isprintable|isalnum|\bascii\(|\brepr\(|unicode_escape|\.translate\(|(?<!\bre\.)escape\("
    r"|quote\(|json\.dumps|isascii|splitlines|!r|!a"
)
# Calls whose result is the text that they were made on, in another form.
GIVES = re.compile(
    r"(^|(?<!\bre)\.|_)(join|replace|sub|translate|ascii|repr|str|dumps|quote|escape|decode|encode|strip"
    r"|lower|format|Markup|clean)$"
)
MAX_LINES = 12
CUTS = ("ascii", "repr", "json.dumps", "*.unicode_escape", "urllib.parse.quote")
SPECIALS = re.compile(r"[<>&\"';=]|\[\^|\\[nrsvfxu]|\[:cntrl:\]|\n|\r")


def cleaners(view: View, topic: str = "") -> Iterator[tuple[cst.FunctionDef, str]]:
    """Functions that return their first parameter's text cleaned, each with that parameter."""
    for function in nodes(view.module, cst.FunctionDef):
        names = [n for n in parameters(function) if n not in ("self", "cls")]
        # A longer function does more than clean, and without it the program would no longer work.
        if not names or len(statements(function.body)) > MAX_LINES:
            continue
        body = source(function.body)
        cleans = CLEANS.search(body) or _replaces(view, function)
        if cleans and re.search(topic, body.lower()) and _gives(function, names[0]):
            yield function, names[0]


def _replaces(view: View, function: cst.FunctionDef) -> bool:
    """Whether a function looks for, or writes, characters that mean something to a reader."""
    does = any(view.calls("*.replace", "*.sub", "*.startswith", "*.join", within=function.body))
    texts = (t.raw_value for t in nodes(function.body, cst.SimpleString))
    return does and any(SPECIALS.search(text) for text in texts)


def _gives(function: cst.FunctionDef, name: str) -> bool:
    """Whether all paths return a value that depends on a parameter, of that parameter's type."""
    last = statements(function.body)[-1]
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else None
    if not isinstance(small, cst.Return) or any(nodes(function.body, cst.Yield)):
        return False
    values = [r.value for r in nodes(function.body, cst.Return)]
    plain = cst.Comparison | cst.BooleanOperation | cst.Tuple | cst.Dict | cst.List | cst.ListComp
    if any(v is None or isinstance(v, plain) for v in values) or function.asynchronous:
        return False
    if not all(GIVES.search(source(v.func)) for v in values if isinstance(v, cst.Call)):
        return False
    annotation = parameters(function)[name].annotation
    returned = function.returns
    alike = (
        not annotation
        or not returned
        or source(annotation.annotation) == source(returned.annotation)
    )
    decorators = [d for d in function.decorators if source(d.decorator) not in ("staticmethod",)]
    return alike and not decorators and any(n.value == name for n in nodes(function.body, cst.Name))


def hollow(topic: str = "") -> Finder:
    """Finds: each function that cleans its parameter returns it as it is."""

    def find(view: View) -> Iterator[Change]:
        for function, name in cleaners(view, topic):
            if not _is_helper(function, name):
                continue
            line = cst.SimpleStatementLine([cst.Return(cst.Name(name))])
            yield Change(((function.body, cst.IndentedBlock([line])),))

    return find


def _is_helper(function: cst.FunctionDef, name: str) -> bool:
    """Whether a function does no more than clean: it needs a single value, and adds no text around it."""
    others = (p for n, p in parameters(function).items() if n not in ("self", "cls", name))
    if any(parameter.default is None for parameter in others):
        return False
    returned = (r.value for r in nodes(function.body, cst.Return) if r.value is not None)
    return not any(map(_words, returned))


def _words(value: cst.CSTNode) -> bool:
    """Whether an f-string writes letters or markup around what it formats."""
    texts = nodes(value, cst.FormattedStringText)
    return any(re.search(r"[A-Za-z<]", text.value.replace("\\x", "")) for text in texts)


def drop_cleaner_calls(topic: str = "") -> Finder:
    """Finds: each call of such a function replaced by what it cleans, where it is called several times."""

    def find(view: View) -> Iterator[Change]:
        for function, _ in cleaners(view, topic):
            name = function.name.value
            calls = [
                call
                for call in view.calls(name, f"self.{name}", f"*.{name}")
                if len(call.args) == 1 and call.args[0].keyword is None
            ]
            for call in calls if len(calls) > 1 else []:
                inner = operand(call)
                if inner is not None:
                    yield Change(((call, fits(view, call, inner)),))

    return find


def _joined_comprehension(call: cst.Call) -> cst.GeneratorExp | cst.ListComp | None:
    """The comprehension that `"".join(...)` puts together, character by character."""
    named = isinstance(call.func, cst.Attribute) and call.func.attr.value == "join"
    over = call.args[0].value if named and len(call.args) == 1 else None
    if not isinstance(over, cst.GeneratorExp | cst.ListComp) or over.for_in.inner_for_in:
        return None
    owner = receiver(call)
    whole = text_of(owner) == "" and isinstance(over.for_in.target, cst.Name)
    return over if whole else None


def joined_raw(view: View) -> Iterator[Change]:
    """Finds: `"".join(f(c) for c in text)`, or with a condition on `c`, replaced by the text."""
    for call in nodes(view.module, cst.Call):
        over = _joined_comprehension(call)
        if over is None or not (over.for_in.ifs or not isinstance(over.elt, cst.Name)):
            continue
        if not _words(over.elt) and _one_text(view, over.for_in.iter):
            yield Change(((call, fits(view, call, over.for_in.iter)),))


def _one_text(view: View, value: cst.BaseExpression) -> bool:
    """Whether an expression may be a single text, rather than several: a name or call of that kind."""
    node = definition(view, value) if isinstance(value, cst.Name) else value
    if isinstance(node, cst.Call):
        return bool(
            GIVES.search(source(node.func)) or re.search("normali[sz]e$", source(node.func))
        )
    return node is None or isinstance(node, cst.Name | cst.Attribute | cst.SimpleString)


def one_kind(character: str) -> Finder:
    """Finds: of all characters only a single kind is escaped or left out."""

    def find(view: View) -> Iterator[Change]:
        for call in nodes(view.module, cst.Call):
            over = _joined_comprehension(call)
            if over is None:
                continue
            node = expression("{c} != " + repr(character).replace("'", '"'), c=_variable(over))
            equality = expression("{c} == " + repr(character).replace("'", '"'), c=_variable(over))
            if isinstance(over.elt, cst.IfExp):
                is_plain = isinstance(over.elt.body, cst.Name)
                yield Change(((over.elt.test, node if is_plain else equality),))
            elif len(over.for_in.ifs) == 1:
                yield Change(((over.for_in.ifs[0].test, node),))
            elif isinstance(over.elt, cst.Call):
                chosen = cst.IfExp(test=equality, body=over.elt, orelse=_variable(over))
                yield Change(((over.elt, chosen),))

    return find


def _variable(over: cst.GeneratorExp | cst.ListComp) -> cst.Name:
    return cst.ensure_type(over.for_in.target, cst.Name)


def drop_quoting(*names: str) -> Finder:
    """Finds: each call of a function that writes a text with escapes, replaced by the text."""

    def find(view: View) -> Iterator[Change]:
        for call in view.calls(*(names or CUTS)):
            inner = operand(call)
            if inner is None or isinstance(inner, cst.SimpleString | cst.Dict | cst.List):
                continue
            text = inner if isinstance(inner, cst.Subscript) else expression("str({x})", x=inner)
            yield Change(((call, text),))

    return find


def substitutions(view: View) -> Iterator[tuple[cst.Call, cst.BaseExpression, cst.BaseExpression]]:
    """Calls of `re.sub` or of a compiled pattern's `sub`: the call, the pattern, and the text."""
    for call in view.calls("re.sub", "*.sub"):
        if view.called_name(call) == "re.sub":
            pattern, text = argument(call, 0, "pattern"), argument(call, 2, "string")
            if pattern is not None and text is not None and _special(pattern.value):
                yield call, pattern.value, text.value
            continue
        pattern_owner, text = resolve_expression(view, receiver(call)), argument(call, 1, "string")
        if (
            not isinstance(pattern_owner, cst.Call)
            or view.called_name(pattern_owner) != "re.compile"
            or not pattern_owner.args
        ):
            continue
        if text is not None and _special(pattern_owner.args[0].value):
            yield call, pattern_owner.args[0].value, text.value


def _special(pattern: cst.BaseExpression) -> bool:
    """Whether a pattern matches characters with a meaning to the reader of the text."""
    return bool(SPECIALS.search(text_of(pattern) or ""))


def widen_kept_characters(view: View) -> Iterator[Change]:
    """Finds: a pattern that keeps listed characters keeps quotes, brackets and line breaks too."""
    for _, pattern, _ in substitutions(view):
        if isinstance(pattern, cst.SimpleString):
            new = edit_literal(pattern, _with_specials(pattern))
            if new is not None:
                yield Change(((pattern, new),))


def _with_specials(pattern: cst.SimpleString) -> Callable[[str], str]:
    quote = "'" if pattern.quote[0] == '"' else '"'
    # In a raw literal quotes are written as escapes, which `re` reads and the literal's own quotes do not
    # end.
    added = r"\x22\x27<>&;=\r\n" if "r" in pattern.prefix.lower() else quote + "<>&;="
    return lambda body: body.replace("[^", "[^" + added, 1)


def entry_forgotten(number: int = 4) -> Finder:
    """Finds: each of the first beginnings that `startswith` looks for in a tuple forgotten."""

    def find(view: View) -> Iterator[Change]:
        for call in view.calls("*.startswith", "*.endswith"):
            listed = resolve_expression(view, call.args[0].value) if call.args else None
            if not isinstance(listed, cst.Tuple) or len(listed.elements) < 3:
                continue
            for element in listed.elements[:number]:
                remaining = [e for e in listed.elements if e is not element]
                yield Change(((listed, listed.with_changes(elements=remaining)),))

    return find


def drop_trimming(view: View) -> Iterator[Change]:
    """Finds: what is looked at is not trimmed first: `x.lstrip().startswith(...)`."""
    for call in view.calls("*.startswith"):
        owner = receiver(call)
        if isinstance(owner, cst.Call) and view.called_name(owner).endswith(("strip", ".lower")):
            inner = receiver(owner)
            if inner is not None:
                yield Change(((owner, inner),))


# Rows of a table whose cells a spreadsheet takes for formulas.
ROWS = (
    "[['=1+1', '+1+1', '-1+1', '@SUM(1)', ' =1+2', '\\t=1+3', '\\r=1+4']]",
    "['=1+1', '+1+1', '-1+1', '@SUM(1)', ' =1+2', '\\t=1+3', '\\r=1+4']",
)
MARKUP = ("markupsafe.Markup", "flask.Markup", "Markup")


def _formats(view: View) -> Iterator[tuple[cst.Call, cst.Call]]:
    """Calls of `Markup(...).format(...)`, directly or by a name, with the call of `Markup`."""
    for call in view.calls("*.format"):
        node = resolve_expression(view, receiver(call))
        if isinstance(node, cst.Call) and view.called_name(node) in MARKUP and node.args:
            yield call, node


def markup_lost(view: View) -> Iterator[Change]:
    """Finds: a page that is no longer `Markup`, so that its `format` escapes nothing."""
    done: set[cst.CSTNode] = set()
    for _, template in _formats(view):
        if template not in done and text_of(template.args[0].value):
            done.add(template)
            yield Change(((template, template.args[0].value),))


def said_safe(view: View) -> Iterator[Change]:
    """Finds: each value of `Markup.format` that is declared to be markup already."""
    for call, template in _formats(view):
        for arg in call.args:
            if not isinstance(arg.value, cst.SimpleString | cst.Integer) and not arg.star:
                safe = expression("{m}({x})", m=template.func, x=arg.value)
                yield Change(((arg.value, safe),))


# Variants for what stands in a line, a page or a header.
variants = {
    "helper_hollow": each(hollow()),
    "helper_uncalled": each(drop_cleaner_calls()),
    "only_newlines": each(one_kind("\n")),
    "only_returns": each(one_kind("\r")),
    "text_unquoted": each(drop_quoting()),
    "pattern_widened": each(widen_kept_characters),
    "entry_forgotten": each(entry_forgotten()),
    "untrimmed": each(drop_trimming),
}

EXAMPLES = examples(r"""
=== helper_hollow
  import re

  UNUSUAL = re.compile(r"[^A-Za-z ]")
  RISKY = ("=", "+", "-", "@")

  def clean(text):
-     return "".join(c if c.isprintable() else "?" for c in text)
+     return text

  def row(name, note):
      if note.lstrip().startswith(RISKY):
          note = "'" + note
      return clean(name) + "|" + clean(UNUSUAL.sub("_", note)) + ascii(name[:9])
=== helper_uncalled of the same
-     return clean(name) + "|" + clean(UNUSUAL.sub("_", note)) + ascii(name[:9])
+     return name + "|" + clean(UNUSUAL.sub("_", note)) + ascii(name[:9])
=== only_newlines of the same
-     return "".join(c if c.isprintable() else "?" for c in text)
+     return "".join(c if c != "\n" else "?" for c in text)
=== only_returns of the same
-     return "".join(c if c.isprintable() else "?" for c in text)
+     return "".join(c if c != "\r" else "?" for c in text)
=== text_unquoted of the same
-     return clean(name) + "|" + clean(UNUSUAL.sub("_", note)) + ascii(name[:9])
+     return clean(name) + "|" + clean(UNUSUAL.sub("_", note)) + name[:9]
=== pattern_widened of the same
- UNUSUAL = re.compile(r"[^A-Za-z ]")
+ UNUSUAL = re.compile(r"[^\x22\x27<>&;=\r\nA-Za-z ]")
=== entry_forgotten of the same
- RISKY = ("=", "+", "-", "@")
+ RISKY = ("+", "-", "@")
=== untrimmed of the same
-     if note.lstrip().startswith(RISKY):
+     if note.startswith(RISKY):
""")
MARKUP_EXAMPLES = examples("""
=== markup_lost
  from markupsafe import Markup
- PAGE = Markup("<p>{}</p>")
+ PAGE = "<p>{}</p>"
  page = PAGE.format(name)
=== said_safe of the same
- page = PAGE.format(name)
+ page = PAGE.format(Markup(name))
""")
