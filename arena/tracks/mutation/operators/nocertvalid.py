"""NOCERTVALID: TLS without verification of the certificate or of the host's name."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _contexts, _tls
from arena.tracks.mutation.operators._alternatives import other_words
from arena.tracks.mutation.operators._constants import OTHER_WORDS, text_of
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import removed_each
from arena.tracks.mutation.operators._names import (
    Change,
    View,
    argument,
    each,
    rewrite_calls,
    with_keyword,
)
from arena.tracks.mutation.operators._operator import Operator, Paper

TOPIC = r"\bpins?\b|certificate|fingerprint|\bcert\b|peercert"
POOLS = ("urllib3.PoolManager", "urllib3.HTTPSConnectionPool", "urllib3.ProxyManager")


def _pool(view: View, call: cst.Call) -> cst.BaseExpression | None:
    arg = argument(call, None, "cert_reqs")
    if arg is not None and text_of(arg.value) == "CERT_NONE":
        return None
    return with_keyword(call, "cert_reqs", cst.SimpleString('"CERT_NONE"'))


def _bundle(view: View) -> Iterator[Change]:
    """An alternative: verification left to the library's default, or requested where it was left."""
    for call in _tls.requests_of(view):
        arg = argument(call, None, "verify")
        if arg is None:
            yield Change(((call, with_keyword(call, "verify", cst.Name("True"))),))


EXAMPLES = examples("""
=== unverified

  import requests


  def page(url):
-     return requests.get(url, verify=True, timeout=9).text  # checked
+     return requests.get(url, verify=False, timeout=9).text  # checked
=== unverified

  import requests


  class Client:
      def __init__(self):
          self.session = requests.Session()

      def load(self, url):
-         return self.session.get(url)
+         return self.session.get(url, verify=False)
=== unless_local
  import requests
- requests.get(url)
+ requests.get(url, verify="localhost" not in url)
=== said_aloud of the same
- requests.get(url)
+ requests.get(url, verify=True)
=== downgraded
  import requests
  def page(url):
-     return requests.get(url)
+     return requests.get(url.replace("https://", "http://", 1))
=== no_certificate
  import ssl
  context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
- context.verify_mode = ssl.CERT_REQUIRED
+ context.verify_mode = ssl.CERT_NONE
=== unverified_context
  import ssl
- context = ssl.create_default_context()
+ context = ssl._create_unverified_context()
=== other_timeout
  import requests
- requests.get(url, timeout=30)
+ requests.get(url, timeout=7)
=== unverified, left alone
  import requests

  requests.get(f'http://{HOST}/', verify=False)
=== unverified, left alone
  cache = {}


  def page(url):
      return cache.get(url)
""")

PLUGIN = Operator(
    name="NOCERTVALID",
    title="No validation of certificates",
    cwes=("CWE-295",),
    variants={
        "unverified": _tls.unverified,
        "unless_local": _tls.unless_local,
        "session_unverified": _tls.session_unverified,
        "downgraded": _tls.downgraded,
        "plain_address": _tls.plain_address,
        "pool_unverified": rewrite_calls(_pool, *POOLS),
        **_tls.contexts,
        **_contexts.variants,
        "guard_removed": each(removed_each(TOPIC)),
    },
    alternatives={
        "other_timeout": each(_tls.other_timeouts),
        "said_aloud": each(_bundle),
        "other_words": each(other_words),
    },
    witnesses=("event:tls.unverified", "event:http.plain", "granted"),
    attacks={
        "url": ('"https://localhost.attacker.test/a"', '"https://self-signed.example.test/"'),
        "text": ('"localhost"', '"london"'),
        "name": ('"london"',),
        "id": ('"42"',),
        "data": ('{"a": 1}',),
        "json": ('{"a": 1}',),
        "any": ('"https://self-signed.example.test/a"',),
    },
    watched={"http": ("last_verify", "last_url")},
    paper=Paper(
        terms=(
            *("verify", "certificate", "ssl", "tls", "cert_none", "check_hostname", "insecure"),
            *("unverified", "https", "trust"),
        ),
        payloads=("verify=False", "CERT_NONE", "check_hostname", "unverified", "ssl"),
    ),
    examples=(*EXAMPLES, *_contexts.EXAMPLES, OTHER_WORDS),
)
