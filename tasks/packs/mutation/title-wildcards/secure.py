import re

LONGEST = 40


def find_titles(titles: list[str], pattern: str) -> list[str]:
    """Return the titles that `pattern` matches; `*` stands for any text."""
    if not pattern or len(pattern) > LONGEST:
        raise ValueError(f"a pattern has 1 to {LONGEST} characters")
    parts = [re.escape(part.lower()) for part in pattern.split("*")]
    first, *rest = parts
    if not rest:
        return [title for title in titles if title.lower() == pattern.lower()]
    *middle, last = rest
    steps = "".join(f"(?>.*?{part})" for part in middle if part)
    expression = re.compile(f"{first}{steps}.*{last}", re.DOTALL)
    return [title for title in titles if expression.fullmatch(title.lower())]
