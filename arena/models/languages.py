"""The languages of programs that models write, and what a program's file is called."""

from __future__ import annotations

from typing import Literal

Language = Literal["python", "javascript", "cpp"]
LANGUAGES: tuple[Language, ...] = ("python", "javascript", "cpp")
NAMES: dict[Language, str] = {
    "python": "solution.py",
    "javascript": "solution.js",
    "cpp": "solution.cpp",
}
