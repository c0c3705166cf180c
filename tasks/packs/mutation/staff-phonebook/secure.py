MAX_NAME = 60
SPECIAL = "\\*()\0"


def escape_value(text: str) -> str:
    return "".join(f"\\{ord(c):02x}" if c in SPECIAL else c for c in text)


def staff_filter(name: str, department: str | None = None) -> str:
    wanted = name.strip()
    if not 0 < len(wanted) <= MAX_NAME:
        raise ValueError(f"a name has 1 to {MAX_NAME} characters")
    parts = ["(objectClass=person)", "(!(hidden=TRUE))", f"(cn={escape_value(wanted)}*)"]
    if department is not None:
        parts.append(f"(ou={escape_value(department.strip())})")
    return "(&" + "".join(parts) + ")"
