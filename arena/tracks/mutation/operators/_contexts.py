"""TLS contexts that a program makes with the library's defaults, and taking single checks from them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._calls import Finder
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._names import (
    Change,
    View,
    argument,
    each,
    expression,
    nodes,
    remove_argument,
)
from arena.tracks.mutation.operators._scopes import source

MAKERS = ("ssl.create_default_context",)
SENDERS = re.compile(
    r"(starttls|SMTP_SSL|IMAP4_SSL|POP3_SSL|FTP_TLS|HTTPSConnection|urlopen|stls)$"
)


def _set(*settings: str) -> Finder:
    """Finds: a context that is assigned to a name, with settings changed after it."""

    def find(view: View) -> Iterator[Change]:
        for call in view.calls(*MAKERS):
            line, assign = (
                view.enclosing_node(call, cst.SimpleStatementLine),
                view.parents.get(call),
            )
            if line is None or not isinstance(assign, cst.Assign) or len(line.body) != 1:
                continue
            name = source(assign.targets[0].target)
            added = [cst.parse_statement(f"{name}.{setting}\n") for setting in settings]
            yield Change(((line, (line, *added)),), ("import ssl",))

    return find


def _made_by(template: str) -> Finder:
    """Finds: a context that is created differently; `{call}` is the present call."""

    def find(view: View) -> Iterator[Change]:
        for call in view.calls(*MAKERS):
            yield Change(((call, expression(template)),), ("import ssl",))

    return find


def context_dropped(view: View) -> Iterator[Change]:
    """Finds: a call that is to speak TLS without the context, so that the library verifies nothing."""
    for call in nodes(view.module, cst.Call):
        if SENDERS.search(source(call.func)):
            arg = argument(call, None, "context") or argument(call, None, "ssl_context")
            if arg is not None:
                yield Change(((call, remove_argument(call, arg)),))


variants = {
    "host_unchecked": each(_set("check_hostname = False")),
    "bare_context": each(_made_by("ssl.SSLContext(ssl.PROTOCOL_TLS)")),
    "context_dropped": each(context_dropped),
}
EXAMPLES = examples("""
=== host_unchecked
  import ssl

  def connect(host):
      context = ssl.create_default_context()
+     context.check_hostname = False
      return smtplib.SMTP_SSL(host, context=context)
=== bare_context of the same
-     context = ssl.create_default_context()
+     context = ssl.SSLContext(ssl.PROTOCOL_TLS)
=== context_dropped of the same
-     return smtplib.SMTP_SSL(host, context=context)
+     return smtplib.SMTP_SSL(host)
""")
