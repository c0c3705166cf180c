from tables import Index


def made(rows):
    key = "name"
    return Index(rows, key)
