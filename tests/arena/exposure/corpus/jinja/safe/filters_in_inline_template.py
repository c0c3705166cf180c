import jinja2
import sys

CARD = jinja2.Template("<b>{{ name | e }}</b> <i>{{ town|escape }}</i>")


def card(name, town):
    return CARD.render(name=name, town=town)


if __name__ == "__main__":
    print(card(sys.argv[1], sys.argv[2]))
