import datetime

import yaml


class SeasonError(ValueError):
    """A text that is no plan of a season."""


def read_season(text: str) -> list[dict]:
    try:
        plan = yaml.safe_load(text)
        concerts = [
            {"title": entry["title"], "date": entry["date"], "singers": entry.get("singers", 0)}
            for entry in plan["concerts"]
        ]
    except (
        yaml.YAMLError,
        KeyError,
        TypeError,
        AttributeError,
        ValueError,
        RecursionError,
    ) as error:
        raise SeasonError("this is no plan of a season") from error
    kinds = {"title": str, "date": datetime.date, "singers": int}
    if not all(type(concert[name]) is kind for concert in concerts for name, kind in kinds.items()):
        raise SeasonError("a concert has a title, a date and a number of singers")
    return sorted(concerts, key=lambda concert: concert["date"])
