from dataclasses import dataclass, field


@dataclass
class Site:
    operators: set[str]
    maintenance: bool = False
    journal: list[str] = field(default_factory=list)


def switch_maintenance(site: Site, session: dict, on: bool) -> bool:
    name = session.get("operator", "somebody")
    before, site.maintenance = site.maintenance, on
    site.journal.append(f"{name}: {'on' if on else 'off'}")
    return before
