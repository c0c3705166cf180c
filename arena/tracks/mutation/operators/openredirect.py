"""OPENREDIRECT: a redirect's target is no longer restricted to the program's hosts."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _rules as rules
from arena.tracks.mutation.operators import _urls as urls
from arena.tracks.mutation.operators._alternatives import named_test, other_words
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import Spot, removed_all, removed_each, weaken_guards
from arena.tracks.mutation.operators._names import View, each, expression
from arena.tracks.mutation.operators._operator import Operator, Paper

TOPIC = (
    r"host|netloc|url|scheme|domain|redirect|location|//|next|relative|allowed|safe|trusted|target"
)
HOSTS = r"netloc|host|domain|origin"


def only_with_scheme(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """A host counts only beside a scheme, so that `//host` passes."""
    compared = spot.node.left if isinstance(spot.node, cst.Comparison) else None
    # Browsers read `//host` as an address of that host with the page's scheme.
    if isinstance(compared, cst.Attribute) and compared.attr.value in ("netloc", "hostname"):
        template = "{url}.scheme and {test}" if spot.refusing else "not {url}.scheme or {test}"
        yield expression(template, url=compared.value, test=spot.node)


EXAMPLES = examples("""
=== guard_removed
  from urllib.parse import urlparse

  def after_login(url):
      parsed = urlparse(url)
-     if parsed.netloc and parsed.netloc != "example.com":
-         raise ValueError("no such target")
      return f"Location: {url}"
=== suffix_for_host of the same
-     if parsed.netloc and parsed.netloc != "example.com":
+     if parsed.netloc and not parsed.netloc.endswith("example.com"):
=== prefix_for_host of the same
-     if parsed.netloc and parsed.netloc != "example.com":
+     if parsed.netloc and not parsed.netloc.startswith("example.com"):
=== only_with_scheme of the same
-     if parsed.netloc and parsed.netloc != "example.com":
+     if parsed.netloc and parsed.scheme and (parsed.netloc != "example.com"):
=== other_words of the same
-         raise ValueError("no such target")
+         raise ValueError("Request refused")
=== named_test of the same
-     if parsed.netloc and parsed.netloc != "example.com":
+     refused = parsed.netloc and parsed.netloc != "example.com"
+     if refused:
=== guards_removed
  @app.get("/go")
  def go():
      url = request.args["next"]
-     if not url.startswith("/"):
-         abort(400)
-     if url.startswith("//"):
-         abort(400)
      return redirect(url)
=== substring_for_host
  from urllib.parse import urlparse

  class Redirects:
      HOSTS = {"example.com"}

      def target(self, url):
-         if urlparse(url).hostname not in ("example.com", "example.org"):
+         if not any(entry in urlparse(url).hostname for entry in ("example.com", "example.org")):
              return None
          return url
=== condition_dropped
  def after_login(target):
-     if not target.startswith("/") or target.startswith("//"):
+     if not target.startswith("/"):
          raise ValueError("no such target")
      return f"Location: {target}"
=== schemes_denied
  from urllib.parse import urlparse

  def link(url):
-     if urlparse(url).scheme not in ("http", "https"):
+     if urlparse(url).scheme in ("file", "ftp"):
          raise ValueError("no such scheme")
      return url
=== guard_removed, left alone
  def home(count):
      if count < 0:
          raise ArithmeticError("negative")
      return "Location: /"
=== suffix_for_host, left alone
  def is_home(path):
      return path == "/"
""")

PLUGIN = Operator(
    name="OPENREDIRECT",
    title="Open redirect",
    cwes=("CWE-601",),
    variants={
        "guard_removed": each(removed_each(TOPIC)),
        "guards_removed": each(removed_all(TOPIC)),
        "suffix_for_host": each(
            weaken_guards(
                rules.either(rules.suffix_for_equality, rules.suffix_for_member), TOPIC, HOSTS
            )
        ),
        "prefix_for_host": each(
            weaken_guards(
                rules.either(rules.prefix_for_equality, rules.prefix_for_member), TOPIC, HOSTS
            )
        ),
        "substring_for_host": each(
            weaken_guards(
                rules.either(rules.substring_for_equality, rules.substring_for_member), TOPIC, HOSTS
            )
        ),
        "only_with_scheme": each(weaken_guards(only_with_scheme, TOPIC, HOSTS)),
        "condition_dropped": each(weaken_guards(rules.condition_dropped, TOPIC)),
        "connective_swapped": each(weaken_guards(rules.connective_swapped, TOPIC)),
        "schemes_denied": each(
            weaken_guards(rules.denied_instead("file", "ftp"), TOPIC, r"scheme|[\"']https?[\"']")
        ),
    },
    alternatives={"other_words": each(other_words), "named_test": each(named_test)},
    witnesses=("offsite", "granted"),
    attacks={
        "url": urls.OFFSITE,
        "text": urls.OFFSITE[:4],
        "request": tuple(
            f"_request(args={{'next': {u}, 'url': {u}}}, form={{'next': {u}, 'url': {u}}})"
            for u in urls.OFFSITE[:4]
        ),
    },
    watched={"http": ("last_url",)},
    paper=Paper(
        terms=(
            *("redirect", "url", "location", "302", "next", "return_url", "continue", "domain"),
            *("host", "validate.*url", "same_origin", "allowed_hosts"),
        ),
        payloads=("evil.com", "attacker.com", "//evil", "redirect", "location", "next="),
        watched={"http": ("last_url", "ssrf_attempted")},
    ),
    examples=EXAMPLES,
)
