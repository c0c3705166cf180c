from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from urllib.parse import urlsplit

COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
SCHEMES = frozenset({"http", "https"})


def web_address(text: str) -> str:
    """Return `text` where it is an address of the web, else nothing."""
    address = text.strip()
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    if parts.scheme not in SCHEMES or not parts.netloc:
        return ""
    return address


def element(tag: str, content: str | None = None, **attributes: str) -> str:
    """Return the element; `content` is markup, None for an element without an end tag."""
    head = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items() if value)
    return f"<{tag}{head}>" if content is None else f"<{tag}{head}>{content}</{tag}>"


@dataclass
class ProfileCard:
    name: str
    about: str = ""
    homepage: str = ""
    avatar: str = ""
    colour: str = ""

    def html(self) -> str:
        parts = [element("h2", escape(self.name))]
        if avatar := web_address(self.avatar):
            parts.append(element("img", src=avatar, alt=self.name))
        if self.about:
            parts.append(element("p", escape(self.about)))
        if homepage := web_address(self.homepage):
            parts.append(element("a", escape(homepage), href=homepage, rel="nofollow noopener"))
        style = f"color:{self.colour}" if COLOUR.fullmatch(self.colour) else ""
        return element("section", "".join(parts), style=style)
