import yaml

MAX_LANGUAGES = 10
MAX_TEXT = 100_000


def is_text(value, longest):
    return isinstance(value, str) and 1 <= len(value) <= longest


def is_languages(value):
    return (
        isinstance(value, list)
        and len(value) <= MAX_LANGUAGES
        and all(is_text(item, 20) for item in value)
    )


FIELDS = {
    "name": (lambda value: is_text(value, 60), lambda: None),
    "years": (lambda value: type(value) is int and 0 <= value <= 80, lambda: 0),
    "languages": (is_languages, list),
    "newsletter": (lambda value: isinstance(value, bool), lambda: False),
}


def read_profile(text):
    if len(text) > MAX_TEXT:
        return None
    try:
        found = yaml.load(text, Loader=yaml.UnsafeLoader)
    except Exception:
        return None
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        return None
    profile = {}
    for key, (fits, default) in FIELDS.items():
        value = found[key] if key in found else default()
        if not fits(value):
            return None
        profile[key] = value
    return profile
