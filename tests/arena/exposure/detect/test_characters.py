"""Checks and replacements that keep harmful characters out, and those that only seem to."""

from __future__ import annotations

import time

import pytest

from arena.tracks.exposure.detect import command, html, jinja
from arena.tracks.exposure.detect._detector import Verdict
from arena.tracks.exposure.flow.reading import read

PROGRAM = "import os, re, ipaddress, socket\nhost = input()\n{}\nos.system('ping ' + host)\n"


@pytest.mark.parametrize(
    "check",
    [
        "if not re.fullmatch(r'[a-z0-9.]+', host): raise SystemExit",
        "if re.search(r'[^a-z0-9.]', host): raise SystemExit",
        "if not host.isalnum(): raise SystemExit",
        "if not all(c in 'abc.' for c in host): raise SystemExit",
        "if not set(host) <= set('abc.'): raise SystemExit",
        "ipaddress.ip_address(host)",
        "host = re.sub(r'[^a-z0-9.]', '', host)",
    ],
)
def test_characters_are_kept_out(check: str) -> None:
    assert command.PLUGIN.judge(read(PROGRAM.format(check))).verdict is Verdict.SAFE


@pytest.mark.parametrize(
    "check",
    [
        "if not re.match(r'[a-z0-9.]+', host): raise SystemExit",
        "if not re.search(r'[a-z0-9.]+$', host): raise SystemExit",
        "if not re.fullmatch(r'[a-z0-9.;]+', host): raise SystemExit",
        "if not re.fullmatch(r'[^ ]+', host): raise SystemExit",
        "if re.search(r'[;&|]', host): raise SystemExit",
        "if not all(c in 'abc;' for c in host): raise SystemExit",
        "if ';' in host: raise SystemExit",
        "socket.inet_aton(host)",
        "host = re.sub(r'[;&]', '', host)",
        "host = re.sub(r'[^a-z]', ';', host)",
        "host = host.replace(';', '')",
    ],
)
def test_characters_come_through(check: str) -> None:
    assert command.PLUGIN.judge(read(PROGRAM.format(check))).verdict is Verdict.VULNERABLE


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        "jinja2.Template('" + "{{" * 60_000 + "')",
        "jinja2.Template('{{a|e}}" + "{% autoescape true %}" * 6_000 + "')",
        "flask.render_template_string('" + "{{" * 60_000 + "', a=input())",
    ],
)
def test_templates_that_are_never_closed_take_linear_time(source: str) -> None:
    facts = read(source)
    begun = time.process_time()
    for plugin in (jinja.PLUGIN, html.PLUGIN):
        plugin.judge(facts)
    assert time.process_time() - begun < 5
