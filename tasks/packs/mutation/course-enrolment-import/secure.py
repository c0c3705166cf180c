from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

HEADER = ["name", "email", "born", "course", "fee"]
MAX_BYTES = 64 * 1024
MAX_ROWS = 200
EMAIL = re.compile(r"[a-z0-9][a-z0-9._%+-]{0,63}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}")
ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
BORN_FROM, BORN_TO = date(1920, 1, 1), date(2015, 12, 31)
HIGHEST_FEE = Decimal(2000)


class ImportProblem(ValueError):
    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}")
        self.line = line


@dataclass(frozen=True)
class Enrolment:
    name: str
    email: str
    born: date
    course: str
    fee: Decimal


def _name(text: str) -> str:
    name = text.strip()
    if not 1 <= len(name) <= 60 or not all(c.isalpha() or c in " '-." for c in name):
        raise ValueError("name: 1 to 60 letters")
    return name


def _email(text: str) -> str:
    email = text.strip().lower()
    if not EMAIL.fullmatch(email):
        raise ValueError("email: malformed")
    return email


def _born(text: str) -> date:
    if not ISO_DATE.fullmatch(text):
        raise ValueError("born: an ISO date")
    born = date.fromisoformat(text)
    if not BORN_FROM <= born <= BORN_TO:
        raise ValueError("born: out of range")
    return born


def _fee(text: str) -> Decimal:
    try:
        fee = Decimal(text)
    except InvalidOperation as error:
        raise ValueError("fee: not a number") from error
    if not fee.is_finite() or not 0 <= fee <= HIGHEST_FEE or fee != round(fee, 2):
        raise ValueError("fee: from 0 to 2000, in cents")
    return fee


class EnrolmentImport:
    def __init__(self, courses: dict[str, int]) -> None:
        self.courses = courses
        self.enrolled: list[Enrolment] = []

    def load(self, text: str) -> list[Enrolment]:
        if len(text.encode()) > MAX_BYTES:
            raise ImportProblem(0, "the text is too long")
        rows = csv.reader(io.StringIO(text), strict=True)
        found: list[Enrolment] = []
        try:
            if next(rows, None) != HEADER:
                raise ValueError("the header is another")
            for row in rows:
                found.append(self._row(row, found))
        except (ValueError, csv.Error) as error:
            raise ImportProblem(rows.line_num, str(error)) from error
        for enrolment in found:
            self.courses[enrolment.course] -= 1
        self.enrolled += found
        return found

    def _row(self, row: list[str], before: list[Enrolment]) -> Enrolment:
        if len(before) >= MAX_ROWS:
            raise ValueError(f"more than {MAX_ROWS} rows")
        if len(row) != len(HEADER):
            raise ValueError(f"{len(row)} fields")
        name, email, born, course, fee = row
        if course not in self.courses:
            raise ValueError("course: unknown")
        enrolment = Enrolment(_name(name), _email(email), _born(born), course, _fee(fee))
        if any((e.email, e.course) == (enrolment.email, course) for e in self.enrolled + before):
            raise ValueError("enrolled already")
        if Counter(e.course for e in before)[course] >= self.courses[course]:
            raise ValueError("course: no place left")
        return enrolment
