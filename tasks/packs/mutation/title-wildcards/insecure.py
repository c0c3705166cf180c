import re

LONGEST = 40


def find_titles(titles: list[str], pattern: str) -> list[str]:
    """Return the titles that `pattern` matches; `*` stands for any text."""
    if not pattern or len(pattern) > LONGEST:
        raise ValueError(f"a pattern has 1 to {LONGEST} characters")
    try:
        expression = re.compile(pattern.lower().replace("*", ".*"), re.DOTALL)
    except re.error as error:
        raise ValueError("this pattern cannot be used") from error
    return [title for title in titles if expression.fullmatch(title.lower())]
