"""The version of this installation."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from harness.extras import DISTRIBUTION


def installed() -> str:
    """The version that is installed; "not installed" where the folders are used by a path alone."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "not installed"
