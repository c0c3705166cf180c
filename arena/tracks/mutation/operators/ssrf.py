"""SSRF: the program's requests can be led to internal addresses, or to hosts that are not allowed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _rules as rules
from arena.tracks.mutation.operators import _urls as urls
from arena.tracks.mutation.operators._alternatives import named_test, other_words
from arena.tracks.mutation.operators._calls import (
    allowed_widened,
    checked_late,
    denied_dropped,
    receiver,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import (
    Spot,
    guards,
    removed_all,
    removed_each,
    weaken_guards,
)
from arena.tracks.mutation.operators._names import Change, View, argument, each, expression, nodes
from arena.tracks.mutation.operators._operator import Operator, Paper
from arena.tracks.mutation.operators._scopes import definition, source

TOPIC = (
    r"host|netloc|url|scheme|domain|internal|private|loopback|local|\bip|addr|169\.254|127\.0|blocked"
    r"|allowed|trusted|denied"
)
HOSTS = r"netloc|host|domain"
REQUESTING = (
    r"(^|\.)(get|post|put|delete|head|patch|request|urlopen|urlretrieve|fetch|send|open|stream)$"
)


def port_kept(view: View) -> Iterator[Change]:
    """Finds: `netloc` (with port, user and capitals) for `hostname` where hosts are denied."""
    for guard in guards(view, HOSTS):
        places = [*_hostnames(guard.node), *_hostnames(_named_host(view, guard.test))]
        # Where hosts are allowed and not denied, `netloc` with a port would be refused: stricter, not weaker.
        if guard.refusing and places and not re.search(r"not in|!=", guard.about):
            yield Change(tuple((place.attr, cst.Name("netloc")) for place in places))


def _hostnames(node: cst.CSTNode | None) -> list[cst.Attribute]:
    attributes = nodes(node, cst.Attribute) if node is not None else ()
    return [place for place in attributes if place.attr.value == "hostname"]


def _named_host(view: View, test: cst.BaseExpression | None) -> cst.BaseExpression | None:
    """The value of a name in a test, where it contains a host."""
    for name in nodes(test, cst.Name) if test is not None else ():
        value = definition(view, name)
        if value is not None and _hostnames(value):
            return value
    return None


def denied_only_exactly(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """A whole host, no prefix or suffix, is denied: `x.startswith("10.")` becomes `x == "10."`."""
    node = spot.node
    if not spot.refusing or not isinstance(node, cst.Call) or len(node.args) != 1:
        return
    where = receiver(node)
    if where is not None and re.search(r"\.(startswith|endswith)$", source(node.func)):
        entry = node.args[0].value
        sign = "in" if isinstance(entry, cst.Tuple) else "=="
        yield expression("{a} " + sign + " {b}", a=where, b=entry)


def redirects_followed(view: View) -> Iterator[Change]:
    """Finds: redirects are followed, to wherever they lead."""
    for call in nodes(view.module, cst.Call):
        for keyword in ("allow_redirects", "follow_redirects"):
            arg = argument(call, None, keyword)
            if arg is not None and source(arg.value) == "False":
                yield Change(((arg.value, cst.Name("True")),))


EXAMPLES = examples("""
=== guard_removed
  import requests
  from urllib.parse import urlparse

  DENIED = ["localhost", "127.0.0.1"]

  def fetch(url):
      parsed = urlparse(url)
-     if parsed.hostname in DENIED or parsed.hostname.startswith("10."):
-         raise ValueError("no such host")
      return requests.get(url, timeout=5).text
=== denied_dropped of the same
- DENIED = ["localhost", "127.0.0.1"]
+ DENIED = ["localhost"]
=== condition_dropped of the same
-     if parsed.hostname in DENIED or parsed.hostname.startswith("10."):
+     if parsed.hostname.startswith("10."):
=== connective_swapped of the same
-     if parsed.hostname in DENIED or parsed.hostname.startswith("10."):
+     if parsed.hostname in DENIED and parsed.hostname.startswith("10."):
=== denied_only_exactly of the same
-     if parsed.hostname in DENIED or parsed.hostname.startswith("10."):
+     if parsed.hostname in DENIED or parsed.hostname == "10.":
=== port_kept of the same
-     if parsed.hostname in DENIED or parsed.hostname.startswith("10."):
+     if parsed.netloc in DENIED or parsed.netloc.startswith("10."):
=== checked_late of the same
-     parsed = urlparse(url)
+     parsed = urlparse(url)
+     result = requests.get(url, timeout=5).text
-     return requests.get(url, timeout=5).text
+     return result
=== other_words of the same
-         raise ValueError("no such host")
+         raise ValueError("Request refused")
=== named_test of the same
-     if parsed.hostname in DENIED or parsed.hostname.startswith("10."):
+     refused = parsed.hostname in DENIED or parsed.hostname.startswith("10.")
+     if refused:
=== guards_removed
  class Hook:
      def send(self, url):
          parts = urlsplit(url)
-         if parts.scheme != "https":
-             raise ValueError("no such scheme")
-         if is_internal(parts.hostname):
-             raise ValueError("no such host")
          return self.client.post(url)
=== suffix_for_host
  @app.get("/image")
  def image():
      url = request.args["url"]
-     if urlparse(url).hostname not in ("img.example.com",):
+     if not any(urlparse(url).hostname.endswith(entry) for entry in ("img.example.com",)):
          abort(400)
      return requests.get(url).content
=== hosts_allowed
  def fetch(url):
-     if urlparse(url).hostname not in {"api.example.com"}:
+     if urlparse(url).hostname not in {"api.example.com", "localhost"}:
          raise ValueError("no such host")
      return urlopen(url).read()
=== redirects_followed
  def fetch(client, url):
-     return client.get(url, allow_redirects=False)
+     return client.get(url, allow_redirects=True)
=== guard_removed, left alone
  def fetch(client, count):
      if count < 0:
          raise ArithmeticError("negative")
      return client.get("https://api.example.com")
=== redirects_followed, left alone
  def fetch(client):
      return client.get("https://api.example.com", timeout=5)
""")

PLUGIN = Operator(
    name="SSRF",
    title="Server-side request forgery",
    cwes=("CWE-918",),
    variants={
        "guard_removed": each(removed_each(TOPIC)),
        "guards_removed": each(removed_all(TOPIC)),
        "denied_dropped": each(denied_dropped(TOPIC)),
        "condition_dropped": each(weaken_guards(rules.condition_dropped, TOPIC)),
        "connective_swapped": each(weaken_guards(rules.connective_swapped, TOPIC)),
        "denied_only_exactly": each(weaken_guards(denied_only_exactly, TOPIC)),
        "port_kept": each(port_kept),
        "suffix_for_host": each(
            weaken_guards(
                rules.either(rules.suffix_for_equality, rules.suffix_for_member), HOSTS, HOSTS
            )
        ),
        "prefix_for_host": each(
            weaken_guards(
                rules.either(rules.prefix_for_equality, rules.prefix_for_member), HOSTS, HOSTS
            )
        ),
        "substring_for_host": each(
            weaken_guards(
                rules.either(rules.substring_for_equality, rules.substring_for_member), HOSTS, HOSTS
            )
        ),
        "whole_url_searched": each(weaken_guards(urls.search_whole_url, HOSTS)),
        "hosts_allowed": each(allowed_widened(TOPIC, HOSTS, "localhost", "127.0.0.1")),
        "redirects_followed": each(redirects_followed),
        "checked_late": each(checked_late(TOPIC, REQUESTING)),
    },
    alternatives={"other_words": each(other_words), "named_test": each(named_test)},
    witnesses=(
        "event:http.internal",
        "event:http.requested",
        "event:file.opened",
        "offsite",
        "granted",
    ),
    attacks={
        "url": urls.INTERNAL,
        "text": urls.INTERNAL[:6],
        "request": tuple(
            f"_request(args={{'url': {u}}}, json={{'url': {u}}})" for u in urls.INTERNAL[:4]
        ),
    },
    watched={"http": ("last_url", "ssrf_attempted", "last_method")},
    paper=Paper(
        terms=(
            *("ssrf", "internal.*url", "localhost", "127.0.0.1", "169.254", "metadata"),
            *(
                "ssrf_attempted",
                "url.*valid",
                "scheme",
                "private.*ip",
                "blocked.*host",
                "allowlist",
            ),
        ),
        payloads=(
            *("127.0.0.1", "169.254.169.254", "localhost", "0.0.0.0", "metadata.google"),  # noqa: S104
            *("169.254.", "[::1]", "file://"),
        ),
        watched={"http": ("last_url", "ssrf_attempted", "last_method")},
    ),
    examples=EXAMPLES,
)
