from __future__ import annotations

import csv
import functools
import logging
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

log = logging.getLogger("imports")

COLUMNS = ("email", "name", "credit")
SCHEMA = """
CREATE TABLE IF NOT EXISTS crm_customers (
    email TEXT PRIMARY KEY, name TEXT, credit INTEGER CHECK (credit >= 0), score REAL
)
"""


class PartnerMistake(Exception):
    """Something that the partner can put right; its text is meant for the partner."""


@dataclass(frozen=True)
class Problem:
    line: int
    message: str


@dataclass
class Report:
    imported: int = 0
    problems: list[Problem] = field(default_factory=list)
    fatal: str | None = None


def explained(step: Callable[..., None]) -> Callable[..., str | None]:
    """Turns a step that may fail into one that returns a message for the partner, or None."""

    @functools.wraps(step)
    def wrapper(*args: Any) -> str | None:
        try:
            step(*args)
        except PartnerMistake as mistake:
            return str(mistake)
        except Exception:
            reference = secrets.token_hex(4)
            log.exception("import problem %s", reference)
            return f"This could not be imported. Please quote reference {reference}."
        return None

    return wrapper


class CustomerImport:
    def __init__(
        self,
        connection: sqlite3.Connection,
        store: Path,
        rate: Callable[[str, int], float] = lambda name, credit: credit / 100,
    ) -> None:
        self.db = connection
        self.store = store
        self.rate = rate
        with self.db:
            self.db.execute(SCHEMA)

    def run(self, file_name: str) -> Report:
        report = Report()
        report.fatal = self._import_file(file_name, report)
        return report

    @explained
    def _import_file(self, file_name: str, report: Report) -> None:
        for line, row in self._rows(file_name):
            message = self._import_row(row)
            if message is None:
                report.imported += 1
            else:
                report.problems.append(Problem(line, message))

    def _rows(self, file_name: str) -> Iterator[tuple[int, dict[str, str]]]:
        path = self.store / Path(file_name).name
        if not path.is_file():
            raise PartnerMistake("There is no such file.")
        with path.open(newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream)
            if tuple(reader.fieldnames or ()) != COLUMNS:
                raise PartnerMistake(f"The columns must be {', '.join(COLUMNS)}.")
            yield from enumerate(reader, start=2)

    @explained
    def _import_row(self, row: dict[str, str]) -> None:
        for name in COLUMNS:
            if not row[name]:
                raise PartnerMistake(f"The field {name} is missing.")
        try:
            credit = int(row["credit"])
        except ValueError:
            raise PartnerMistake("The credit is not a number.") from None
        if credit < 0:
            raise PartnerMistake("The credit is below zero.")
        if self._known(row["email"]):
            raise PartnerMistake("This email is known already.")
        score = self.rate(row["name"], credit)
        with self.db:
            self.db.execute(
                "INSERT INTO crm_customers VALUES (?, ?, ?, ?)",
                (row["email"], row["name"], credit, score),
            )

    def _known(self, email: str) -> bool:
        found = self.db.execute("SELECT 1 FROM crm_customers WHERE email = ?", (email,))
        return found.fetchone() is not None


def render(report: Report) -> str:
    lines = [f"{report.imported} customers imported"]
    if report.fatal:
        lines.append(report.fatal)
    lines += [f"line {problem.line}: {problem.message}" for problem in report.problems]
    return "\n".join(lines)
