import time
from dataclasses import dataclass, field

SESSION_SECONDS = 8 * 3600


@dataclass
class Site:
    operators: set[str]
    maintenance: bool = False
    journal: list[str] = field(default_factory=list)


def signed_in_operator(site: Site, session: dict) -> str:
    name = session.get("operator")
    if name is None or name not in site.operators:
        raise PermissionError("operators only")
    age = time.time() - session.get("signed_in_at", 0)
    if not 0 <= age <= SESSION_SECONDS:
        raise PermissionError("this session is over")
    return name


def switch_maintenance(site: Site, session: dict, on: bool) -> bool:
    name = signed_in_operator(site, session)
    before, site.maintenance = site.maintenance, on
    site.journal.append(f"{name}: {'on' if on else 'off'}")
    return before
