import re

LOCAL = re.compile(r"[A-Za-z0-9_%+-]+(?:\.[A-Za-z0-9_%+-]+)*")
LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?")
LAST_LABEL = re.compile(r"[A-Za-z]{2,63}")
LONGEST = 254


def is_domain(domain):
    *labels, last = domain.split(".")
    fits = all(len(label) <= 63 and LABEL.fullmatch(label) for label in labels)
    return bool(labels) and fits and LAST_LABEL.fullmatch(last) is not None


def normal_email(text):
    address = text.strip(" ")
    if len(address) > LONGEST or address.count("@") != 1:
        return None
    local, domain = address.split("@")
    if len(local) > 64 or not LOCAL.fullmatch(local) or not is_domain(domain):
        return None
    return f"{local}@{domain.lower()}"
