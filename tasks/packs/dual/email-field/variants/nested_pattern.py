import re

ADDRESS = re.compile(r"(?:[A-Za-z0-9_%+-]+\.?)+@(?:(?:[A-Za-z0-9]+-*)+\.)+[A-Za-z]{2,63}")


def normal_email(text):
    address = text.strip(" ")
    if not ADDRESS.fullmatch(address) or len(address) > 254:
        return None
    local, domain = address.split("@")
    labels = domain.split(".")
    if len(local) > 64 or local.endswith("."):
        return None
    if any(len(label) > 63 or label.endswith("-") for label in labels):
        return None
    return f"{local}@{domain.lower()}"
