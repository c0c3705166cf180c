import re

LONGEST = 2000
NAME = re.compile(r"[A-Za-z]+(?: [A-Za-z]+){1,2}")


def parse_species(field: str) -> list[str]:
    """Return the names of a comma-separated field."""
    if len(field) > LONGEST:
        raise ValueError(f"the field is longer than {LONGEST} characters")
    names = [name.strip(" ") for name in field.split(",")]
    if not all(NAME.fullmatch(name) for name in names):
        raise ValueError("the field holds something that is no name of a species")
    return names
