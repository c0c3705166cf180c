from html import escape


def review_card(author: str, text: str, stars: int) -> str:
    if stars not in range(1, 6):
        raise ValueError("stars: from 1 to 5")
    name = escape(author)
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in text.splitlines() if line.strip())
    return f'<article data-author="{name}"><h3>{name}</h3><p>{"★" * int(stars)}</p>{paragraphs}</article>'
