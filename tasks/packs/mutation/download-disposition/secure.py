import re
from urllib.parse import quote

MAX_NAME = 100
UNUSUAL = re.compile(r"[^A-Za-z0-9 ._()\[\]-]")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def content_disposition(filename: str, inline: bool = False) -> str:
    name = re.split(r"[/\\]", filename)[-1]
    name = CONTROL.sub("", name).strip(" .")[:MAX_NAME] or "download"
    kind = "inline" if inline else "attachment"
    value = f'{kind}; filename="{UNUSUAL.sub("_", name)}"'
    if not name.isascii():
        value += f"; filename*=UTF-8''{quote(name, safe='', errors='replace')}"
    return value
