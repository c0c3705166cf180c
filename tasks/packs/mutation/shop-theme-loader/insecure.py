from __future__ import annotations

import os


class TemplateMissing(LookupError):
    """No theme has this template."""


class ThemeLoader:
    """Finds templates in a theme's folder, then in the fall-back's."""

    def __init__(self, root: str, theme: str, fallback: str = "base") -> None:
        self._folders = [self._folder(root, name) for name in (theme, fallback)]
        self._texts: dict[str, str] = {}

    @staticmethod
    def _folder(root: str, name: str) -> str:
        return os.path.realpath(os.path.join(root, name))

    def _find(self, template: str) -> str | None:
        if not template.endswith(".html") or "\0" in template:
            return None
        for folder in self._folders:
            path = os.path.abspath(os.path.join(folder, template))
            if path.startswith(folder) and os.path.isfile(path):
                return path
        return None

    def exists(self, template: str) -> bool:
        return self._find(template) is not None

    def source(self, template: str) -> str:
        if template not in self._texts:
            path = self._find(template)
            if path is None:
                raise TemplateMissing(template)
            with open(path, encoding="utf-8") as file:
                self._texts[template] = file.read()
        return self._texts[template]
