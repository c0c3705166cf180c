import string

LONGEST = 2000
FOREIGN = ("//", "/\\", "\\")


def return_target(next):
    """The address, unless it begins like one of another site."""
    address = "".join(c for c in next if c in string.printable).strip()
    if next.startswith(FOREIGN) or not address.startswith("/"):
        return "/"
    if len(next) > LONGEST or " " in address or not next.isascii():
        return "/"
    return next
