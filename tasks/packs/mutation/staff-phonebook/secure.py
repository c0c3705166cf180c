import ldap

BASE = "ou=people,dc=example,dc=com"
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


def look_up(
    name: str, department: str | None = None, server: str = "ldap://directory.example.com"
) -> list[str]:
    connection = ldap.initialize(server)
    try:
        found = connection.search_s(BASE, ldap.SCOPE_SUBTREE, staff_filter(name, department))
    finally:
        connection.unbind_s()
    return sorted(dn for dn, _ in found if dn)
