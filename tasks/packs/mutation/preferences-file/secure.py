import ast


def parse_preferences(text: str) -> dict[str, object]:
    preferences: dict[str, object] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, separator, value = line.partition("=")
        if not separator or not name.strip().isidentifier():
            raise ValueError(f"line {number}: expected `name = value`")
        try:
            preferences[name.strip()] = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
            raise ValueError(f"line {number}: the value is no literal") from error
    return preferences
