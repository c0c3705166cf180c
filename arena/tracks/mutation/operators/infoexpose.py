"""INFOEXPOSE: what only operators of a program should know gets into its answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import libcst as cst

from arena.tracks.mutation.operators._alternatives import other_words
from arena.tracks.mutation.operators._constants import OTHER_WORDS, text_of
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._names import Change, New, View, each, expression, nodes
from arena.tracks.mutation.operators._operator import Operator, Paper, Rewriting
from arena.tracks.mutation.operators._scopes import parameters, source

ERRORS = re.compile(
    r"(?i)^(e|ex|exc|err|error|exception|failure|problem|\w+_(error|exc|exception))$"
)
KINDS = re.compile(r"(Error|Exception|Failure)\b")
KEYS = re.compile(r"(?i)error|message|msg|detail|reason|description|text")
LOGS = ("*.error", "*.exception", "*.critical", "*.warning", "*.debug", "*.info", "*.log")


@dataclass(frozen=True, eq=False)
class AnswerPlace:
    """A text that a caller gets while `error` is in scope; `mapping` is the dictionary that holds it, if any.

    naming: what must change so that the error has its name.
    """

    text: cst.BaseExpression
    error: str
    mapping: cst.Dict | None
    handled: bool
    naming: tuple[tuple[cst.CSTNode, New], ...] = ()


def _answers(view: View) -> Iterator[AnswerPlace]:
    for handler in nodes(view.module, cst.ExceptHandler):
        # A bare `except` cannot name its exception.
        if handler.type is None:
            continue
        if handler.name is None:
            named = _name_exception(handler)
            for text, mapping in _texts(view, handler.body):
                yield AnswerPlace(text, "error", mapping, True, ((handler, named),))
        elif isinstance(handler.name.name, cst.Name):
            for text, mapping in _texts(view, handler.body):
                yield AnswerPlace(text, handler.name.name.value, mapping, True)
    for function in nodes(view.module, cst.FunctionDef):
        error = _error_parameter(view, function)
        # Those of handlers are found above, with the handler's own name.
        if error and not any(nodes(function.body, cst.ExceptHandler)):
            for text, mapping in _texts(view, function.body):
                yield AnswerPlace(text, error, mapping, False)


def _name_exception(handler: cst.ExceptHandler) -> cst.ExceptHandler:
    name = cst.AsName(cst.Name("error"), cst.SimpleWhitespace(" "), cst.SimpleWhitespace(" "))
    return handler.with_changes(name=name)


def _error_parameter(view: View, function: cst.FunctionDef) -> str:
    """The parameter that holds an exception: by its type, by its name, or as it is logged."""
    logged = {
        name.value for call in view.calls(*LOGS, within=function) for name in nodes(call, cst.Name)
    }
    for name, parameter in parameters(function).items():
        kind = source(parameter.annotation.annotation) if parameter.annotation else ""
        # A name such as `error` with a type that is none of an exception is a text or a number.
        if KINDS.search(kind) or (ERRORS.match(name) and (not kind or name in logged)):
            return name
    return ""


def _texts(view: View, body: cst.CSTNode) -> Iterator[tuple[cst.BaseExpression, cst.Dict | None]]:
    """Literal texts in what is returned, or raised: alone, or as the message of a dictionary or call."""
    for node in nodes(body, cst.Return):
        if node.value is None:
            continue
        mappings = list(nodes(node.value, cst.Dict))
        if mappings:
            yield from _messages(mappings[0])
        # A single word is a key or a state, and no message.
        elif _sentence(node.value):
            yield node.value, None
        elif isinstance(node.value, cst.Tuple) and _is_text(node.value.elements[0].value):
            yield node.value.elements[0].value, None
        else:
            yield from _named_messages(node.value)
    for raised in nodes(body, cst.Raise):
        if isinstance(raised.exc, cst.Call) and len(raised.exc.args) == 1:
            value = raised.exc.args[0].value
            if _is_text(value) and view.enclosing_node(raised, cst.ExceptHandler) is not None:
                yield value, None


def _is_text(node: cst.BaseExpression) -> bool:
    return bool(text_of(node)) or isinstance(node, cst.FormattedString)


def _sentence(node: cst.BaseExpression) -> bool:
    return _is_text(node) and " " in source(node)


def _named_messages(value: cst.BaseExpression) -> Iterator[tuple[cst.BaseExpression, None]]:
    """Texts of keyword arguments that read as a message: `jsonify(error="...")`."""
    for call in nodes(value, cst.Call):
        for arg in call.args:
            if arg.keyword is not None and KEYS.search(arg.keyword.value) and _is_text(arg.value):
                yield arg.value, None
                return


def _messages(mapping: cst.Dict) -> Iterator[tuple[cst.BaseExpression, cst.Dict]]:
    """The first entry of a dictionary that reads as a message."""
    for element in mapping.elements:
        if not isinstance(element, cst.DictElement) or not KEYS.search(text_of(element.key) or ""):
            continue
        if text_of(element.value):
            yield element.value, mapping
            return


def _answering(make: Callable[[AnswerPlace], cst.BaseExpression], *imports: str) -> Rewriting:
    def find(view: View) -> Iterator[Change]:
        for answer in _answers(view):
            if not answer.naming:
                yield Change(((answer.text, make(answer)),), imports)
                continue
            handler = answer.naming[0][1]
            if isinstance(handler, cst.ExceptHandler):
                # Name and use in one change: each alone would not be a program that runs.
                body = handler.deep_replace(answer.text, make(answer))
                yield Change(((answer.naming[0][0], body),), imports)

    return each(find)


def _add_entry(key: str, source: str, *imports: str, handled: bool = False) -> Rewriting:
    """An entry more in the dictionary that is answered; `{e}` is the error's name."""

    def find(view: View) -> Iterator[Change]:
        for answer in _answers(view):
            if answer.mapping is None or (handled and not answer.handled):
                continue
            error = {"e": cst.Name(answer.error)} if "{e}" in source else {}
            value = expression(source, **error)
            entry = cst.DictElement(cst.SimpleString(f'"{key}"'), value)
            longer = answer.mapping.with_changes(elements=[*answer.mapping.elements, entry])
            if not answer.naming:
                yield Change(((answer.mapping, longer),), imports)
                continue
            old, handler = answer.naming[0]
            if isinstance(handler, cst.ExceptHandler):
                yield Change(((old, handler.deep_replace(answer.mapping, longer)),), imports)

    return each(find)


def _message(answer: AnswerPlace) -> cst.BaseExpression:
    return expression("str({e})", e=cst.Name(answer.error))


def _plainer(view: View) -> Iterator[Change]:
    """An alternative: another general message."""
    replacements: dict[cst.CSTNode, New] = {}
    for answer in _answers(view):
        if not answer.naming:
            replacements[answer.text] = cst.SimpleString('"Something went wrong"')
    if replacements:
        yield Change(tuple(replacements.items()))


def _add_incident_number(view: View) -> Iterator[Change]:
    """An alternative: the answer also has a number by which operators find the record."""
    for answer in _answers(view):
        if answer.mapping is not None and not answer.naming:
            entry = cst.DictElement(cst.SimpleString('"incident"'), expression("uuid.uuid4().hex"))
            longer = answer.mapping.with_changes(elements=[*answer.mapping.elements, entry])
            yield Change(((answer.mapping, longer),), ("import uuid",))


EXAMPLES = examples("""
=== message

  import logging


  def failed(error):
      logging.error("query: %s", error)
-     return {"error": "The query failed", "code": 7}  # no more
+     return {"error": str(error), "code": 7}  # no more
=== trace

+ import traceback
  class Reader:
      def load(self, path):
          try:
              return {"text": open(path).read()}
          except OSError as problem:
-             return {"message": "Not found"}
+             return {"message": "Not found", "trace": traceback.format_exc()}
=== detail
  def failed(error):
-     return {'error': 'It failed'}
+     return {'error': 'It failed', "detail": repr(error)}
=== arguments of the same
-     return {'error': 'It failed'}
+     return {'error': 'It failed', "arguments": [str(a) for a in getattr(error, 'args', ())]}
=== attributes of the same
-     return {'error': 'It failed'}
+     return {'error': 'It failed', "context": str(getattr(error, '__dict__', error))}
=== plainer of the same
-     return {'error': 'It failed'}
+     return {'error': "Something went wrong"}
=== numbered
+ import uuid
  def failed(error):
-     return {'error': 'It failed'}
+     return {'error': 'It failed', "incident": uuid.uuid4().hex}
=== message, left alone
  def greeting(name):
      return {'message': 'Hello there'}
=== message, left alone
  def last(rows):
      rows.pop()
      return rows
""")

PLUGIN = Operator(
    name="INFOEXPOSE",
    title="Information exposure in answers",
    cwes=("CWE-209", "CWE-200"),
    variants={
        "message": _answering(_message),
        "detail": _add_entry("detail", "repr({e})"),
        "arguments": _add_entry("arguments", "[str(a) for a in getattr({e}, 'args', ())]"),
        "attributes": _add_entry("context", "str(getattr({e}, '__dict__', {e}))"),
        "trace": _add_entry("trace", "traceback.format_exc()", "import traceback", handled=True),
    },
    alternatives={
        "plainer": each(_plainer),
        "numbered": each(_add_incident_number),
        "other_words": each(other_words),
    },
    witnesses=("secret",),
    attacks={
        "error": (
            '__import__("json").JSONDecodeError("s3cr3t in the query", "s3cr3t", 0)',
            "ValueError(\"near 'SELECT pin FROM users' in /srv/app/db.py\")",
            'RuntimeError("login of admin with s3cr3t failed")',
        ),
        "path": ('"/srv/none/secret.txt"',),
        "filename": ('"none/secret.txt"',),
        "text": ('"not a number"', '"\\x00"'),
        "number": ('"x"', "0"),
        "id": ('"x\'"', "-1"),
        "data": ('b"\\xff"',),
        "json": ('"{"',),
        "mapping": ('{"name": "ann", "password": "s3cr3t", "token": "t0ken"}',),
        "user": ('{"name": "ann", "password": "s3cr3t", "token": "t0ken"}',),
        "any": ('ValueError("s3cr3t")', '"x"'),
    },
    paper=Paper(
        terms=(
            *("traceback", "stack", "error", "debug", "exception", "sensitive", "expose"),
            *("message", "detail", "verbose"),
        ),
        payloads=("traceback", "stack_trace", "debug", "Exception(", "str(e)", "internal"),
    ),
    examples=(*EXAMPLES, OTHER_WORDS),
)
