#!/bin/sh
# typer 0.29.2 with click 8.3.1: a command made by `typer.main.get_command` goes into a click.Group without a word, and
# right arguments work, but a wrong one is an exception with exit status 1 where a usage error with status 2 is due, and
# `except click.ClickException` does not catch it. Typer now has its own copy of click inside (`typer._click`), whose
# classes are unrelated to click's. With typer 0.20.0, which depends on click, it is status 2.
# Seen: "typer 0.20.0: status 2, click.Command: True" and "typer 0.29.2: status 1, click.Command: False".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >tool.py <<'TOOL'
import click
import typer
from click.testing import CliRunner
from typer.main import get_command

app = typer.Typer()


@app.command()
def count(number: int = 1) -> None:
    print(number)


group = click.Group("tool")
group.add_command(get_command(app), "count")
right = CliRunner().invoke(group, ["count", "--number", "3"])
assert (right.exit_code, right.output) == (0, "3\n")
wrong = CliRunner().invoke(group, ["count", "--number", "many"])
print(f"status {wrong.exit_code}, click.Command: {isinstance(get_command(app), click.Command)}")
TOOL

run_with() {
    python3 -m venv "env-$1"
    "env-$1/bin/pip" install --quiet --disable-pip-version-check "typer==$1" click==8.3.1
    "env-$1/bin/python" tool.py
}

before=$(run_with 0.20.0)
after=$(run_with 0.29.2)
echo "typer 0.20.0: $before"
echo "typer 0.29.2: $after"
[ "$before" = "status 2, click.Command: True" ] && [ "$after" = "status 1, click.Command: False" ]
