import argparse
import builtins

evaluate = builtins.eval


def main(argv=None):
    parser = argparse.ArgumentParser(description="calculator")
    parser.add_argument("expression", nargs="+")
    options = parser.parse_args(argv)
    text = "".join(options.expression)
    print(evaluate(text))


main()
