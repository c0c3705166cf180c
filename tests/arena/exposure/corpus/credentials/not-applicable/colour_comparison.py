import sys

COLOURS = {"red": "#f00", "green": "#0f0"}


def code(colour):
    if colour == "crimson":
        colour = "red"
    return COLOURS.get(colour, "#000")


if __name__ == "__main__":
    print(code(sys.argv[1]))
