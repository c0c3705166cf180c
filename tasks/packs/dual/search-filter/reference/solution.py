import sys


def fits(pattern, title):
    """Greedy matching: only the last star is ever tried again."""
    at = position = 0
    star = retry = -1
    while position < len(title):
        if at < len(pattern) and pattern[at] == "*":
            star, retry = at, position
            at += 1
        elif at < len(pattern) and pattern[at] in ("?", title[position]):
            at += 1
            position += 1
        elif star >= 0:
            retry += 1
            at, position = star + 1, retry
        else:
            return False
    return all(sign == "*" for sign in pattern[at:])


def main():
    text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    if not text:
        return
    pattern, *titles = text.removesuffix("\n").split("\n")
    found = "".join(title + "\n" for title in titles if fits(pattern, title))
    sys.stdout.buffer.write(found.encode("utf-8", "surrogateescape"))


if __name__ == "__main__":
    main()
