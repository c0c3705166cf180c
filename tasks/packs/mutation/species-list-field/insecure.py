import re

LONGEST = 2000
FIELD = re.compile(r" *(([A-Za-z]+ ?)+ *,? *)+")
NAME = re.compile(r"[A-Za-z]+(?: [A-Za-z]+){1,2}")


def parse_species(field: str) -> list[str]:
    """Return the names of a comma-separated field."""
    if len(field) > LONGEST:
        raise ValueError(f"the field is longer than {LONGEST} characters")
    if not FIELD.fullmatch(field):
        raise ValueError("the field holds something that is no list of names")
    names = [name.strip(" ") for name in field.split(",")]
    if not all(NAME.fullmatch(name) for name in names):
        raise ValueError("the field holds something that is no name of a species")
    return names
