"""Rules in Semgrep's format: the ones that come with the project, a folder or file, a registry pack."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from harness.grade.sast.languages import LanguageKind, kind_of
from harness.grade.sast.scanner import ScanFailed
from harness.grade.sast.stage import VERSION as STAGE_VERSION

BUILTIN = Path(__file__).with_name("rules")
_EXAMPLES = "    examples:\n"  # the last key of each built-in rule; Semgrep has no use for it


class RuleSet(Protocol):
    """Rules for Semgrep. `count` is None when only a scan can count them."""

    @property
    def version(self) -> str: ...

    @property
    def count(self) -> int | None: ...

    @property
    def remote(self) -> bool: ...

    def wants(self, path: str) -> bool: ...

    def configs(self, scratch: Path) -> list[str]:
        """Values for `--config`; files may be written to `scratch`. Raises ScanFailed."""
        ...


@dataclass(frozen=True)
class BuiltinRules:
    """The project's rules, all for C and C++, passed to Semgrep as a single file without examples."""

    folder: Path = BUILTIN
    remote: bool = False

    @cached_property
    def _text(self) -> str:
        files = sorted(self.folder.glob("*.yaml"))
        return "rules:\n" + "".join(_rule_text(file.read_text("utf-8")) for file in files)

    @property
    def version(self) -> str:
        return f"builtin {_digest(self._text)}"

    @property
    def count(self) -> int | None:
        return self._text.count("\n- id: ")

    def wants(self, path: str) -> bool:
        return kind_of(path) is not LanguageKind.NOT_C_FAMILY

    def configs(self, scratch: Path) -> list[str]:
        if not self.count:
            raise ScanFailed(f"no rule in {self.folder}")
        bundle = scratch / "builtin.yaml"
        bundle.write_text(self._text, "utf-8")
        return [str(bundle)]


@dataclass(frozen=True)
class LocalRules:
    """A file of rules, or all `.yaml` and `.yml` files under a folder."""

    place: Path
    remote: bool = False

    @cached_property
    def _files(self) -> list[Path]:
        if self.place.is_file():
            return [self.place]
        return sorted(f for f in self.place.rglob("*") if f.suffix in (".yaml", ".yml"))

    @property
    def version(self) -> str:
        try:
            return f"{self.place.name} {_digest(*(f.read_text('utf-8') for f in self._files))}"
        except (OSError, UnicodeDecodeError) as error:
            raise ScanFailed(f"cannot read the rules in {self.place}: {error}") from error

    @property
    def count(self) -> int | None:
        return None

    def wants(self, path: str) -> bool:
        return True

    def configs(self, scratch: Path) -> list[str]:
        if not self._files:
            raise ScanFailed(f"no .yaml or .yml file in {self.place}")
        return [str(self.place.resolve())]


@dataclass(frozen=True)
class RegistryPack:
    """A pack of Semgrep's registry, `p/...`: fetched at each scan, so its version is only its name."""

    pack: str
    remote: bool = True

    @property
    def version(self) -> str:
        return f"{self.pack} (not pinned)"

    @property
    def count(self) -> int | None:
        return None

    def wants(self, path: str) -> bool:
        return True

    def configs(self, scratch: Path) -> list[str]:
        return [self.pack]


def _rule_text(text: str) -> str:
    """A rule's entry in a list of rules, without its examples."""
    return text.removeprefix("rules:\n").partition(_EXAMPLES)[0]


def _digest(*texts: str) -> str:
    digest = hashlib.sha256(STAGE_VERSION.encode())
    for text in texts:
        data = text.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:16]
