import re

ADDRESS = re.compile(
    r"^(?!\.)(?!.*\.\.)[\w.%+-]{1,64}(?<!\.)@([^\W_]([\w-]{0,61}[^\W_])?(?<!_)\.)+[A-Za-z]{2,63}$", re.MULTILINE
)


def normal_email(text):
    address = text.strip(" ")
    if not ADDRESS.search(address) or "_" in address.rsplit("@", 1)[1]:
        return None
    local, domain = address.rsplit("@", 1)
    return f"{local}@{domain.lower()}"
