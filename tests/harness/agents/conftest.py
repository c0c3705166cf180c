"""A small agent of ours, with a toolbox, for tests of the seal around it."""

from __future__ import annotations

from tests.harness.toolbox.conftest import place

__all__ = ["place"]
