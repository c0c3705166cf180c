"""Bundles the page's modules into a single script, so that a page can be a single file.

A module becomes a function that returns its exports, so that names of different modules do not clash.
"""

from __future__ import annotations

import re
from pathlib import Path

STATIC = Path(__file__).with_name("static")
START = "app.js"
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w.-]+)";$', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\b)", re.M)
EXPORTED = re.compile(r"^export (?:async )?(?:function\*?|const|class) (\w+)", re.M)
LIST = re.compile(r"^export \{([^}]*)\};$", re.M)
# Also a carriage return: a browser reads it as a line feed, and the hash in the page's policy no longer fits.
ENDS = re.compile(r"</script|<!--|\r", re.I)


def bundle_modules(folder: Path = STATIC, start: str = START) -> str:
    """A single script of a module and all that it imports from the folder, imports first.

    Imports are `import { a, b as c } from "./x.js";`, exports stand before a declaration or in
    `export { a, b };`. Raises ValueError for any different form, for modules that import in a circle,
    and for text that would end the script element.
    """
    order: list[str] = []
    _visit(folder, start, order, ())
    script = "\n".join(_wrap_module(folder / name) for name in order)
    if ENDS.search(script):
        raise ValueError(f"{folder}: a module holds text that ends a script element")
    return script


def _visit(folder: Path, name: str, order: list[str], above: tuple[str, ...]) -> None:
    if name in order:
        return
    if name in above:
        raise ValueError(f"{folder}: modules import each other: {' -> '.join((*above, name))}")
    for _, needed in IMPORT.findall((folder / name).read_text("utf-8")):
        _visit(folder, needed, order, (*above, name))
    order.append(name)


def _wrap_module(path: Path) -> str:
    text = path.read_text("utf-8")
    exported = EXPORTED.findall(text)
    for names in LIST.findall(text):
        exported += [name.strip() for name in names.split(",") if name.strip()]
    text = IMPORT.sub(
        lambda m: f"const {{{m[1].replace(' as ', ': ')}}} = {_variable(m[2])};", text
    )
    text = EXPORT.sub("", LIST.sub("", text))
    if unsupported := re.search(r"^(?:import|export)\b.*", text, re.M):
        raise ValueError(f"{path}: {unsupported[0]}: not a form that can be bundled")
    return f"const {_variable(path.name)} = (() => {{\n{text}return {{ {', '.join(exported)} }};\n}})();"


def _variable(name: str) -> str:
    return "module_" + re.sub(r"\W", "_", name)
