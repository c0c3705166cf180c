MAX_NAME = 60


def staff_filter(name: str, department: str | None = None) -> str:
    wanted = name.strip()
    if not 0 < len(wanted) <= MAX_NAME:
        raise ValueError(f"a name has 1 to {MAX_NAME} characters")
    parts = ["(objectClass=person)", "(!(hidden=TRUE))", f"(cn={wanted}*)"]
    if department is not None:
        parts.append(f"(ou={department.strip()})")
    return "(&" + "".join(parts) + ")"
