from jinja2 import Environment
import sys

CARD = "<b>{{ name|e }}</b> <i>{{ town }}</i>"


def card(name, town):
    return Environment().from_string(CARD).render(name=name, town=town)


if __name__ == "__main__":
    print(card(sys.argv[1], sys.argv[2]))
