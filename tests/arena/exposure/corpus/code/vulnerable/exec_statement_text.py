import sys


def evaluate(text):
    scope = {}
    exec("result = " + text, {}, scope)
    return scope["result"]


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: calc.py EXPRESSION")
    print(evaluate(" ".join(sys.argv[1:])))
