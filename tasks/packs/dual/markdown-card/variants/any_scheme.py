import re

MARK = re.compile(r"\*\*([^*]+)\*\*|\[([^\[\]]+)\]\(([^ \t\[\]()]*https?://[^ \t\[\]()]*)\)")
ENTITIES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
)


def escaped(text):
    return text.translate(ENTITIES)


def marked(match):
    strong, words, address = match.groups()
    if strong is not None:
        return f"<strong>{escaped(strong)}</strong>"
    return f'<a href="{escaped(address)}">{escaped(words)}</a>'


def paragraph(line):
    parts, at = [], 0
    for match in MARK.finditer(line):
        parts += [escaped(line[at : match.start()]), marked(match)]
        at = match.end()
    return "<p>" + "".join(parts) + escaped(line[at:]) + "</p>"


def render_card(title, text):
    lines = (line.strip(" ") for line in text.split("\n"))
    body = "".join(paragraph(line) for line in lines if line)
    return f"<article><h2>{escaped(title)}</h2>{body}</article>"
