import re

CONTROL = re.compile(r"[\x00-\x1f\x7f]")
CONTROL_BUT_LINES = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


def line(least, most):
    """Reads one line of so many characters."""

    def read(text):
        stripped = text.strip(" ")
        return stripped if least <= len(stripped) <= most and not CONTROL.search(text) else None

    return read


def about(text):
    return text if len(text) <= 500 and not CONTROL_BUT_LINES.search(text) else None


def yes_or_no(text):
    return text if text in ("yes", "no") else None


FIELDS = {"name": line(1, 60), "city": line(0, 60), "about": about, "news": yes_or_no}


def update_member(member, form):
    updated = dict(member)
    for field, read in FIELDS.items():
        if field not in form:
            continue
        value = read(form[field])
        if value is None:
            return None
        updated[field] = value
    return updated
