import re
from urllib.parse import quote

MAX_NAME = 100


def content_disposition(filename: str, inline: bool = False) -> str:
    name = re.split(r"[/\\]", filename)[-1].strip(" .")[:MAX_NAME] or "download"
    kind = "inline" if inline else "attachment"
    plain = name.encode("ascii", "replace").decode("ascii").replace("?", "_")
    value = f'{kind}; filename="{plain}"'
    if not name.isascii():
        value += f"; filename*=UTF-8''{quote(name, safe='')}"
    return value
