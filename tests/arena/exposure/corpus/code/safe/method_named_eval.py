import sys
import pandas as pd
import numexpr


class Model:
    def __init__(self, net):
        self.net = net

    def predict(self, rows):
        self.net.eval()
        return [self.net(float(row)) for row in rows]


def compile(rows):
    """Compiles a report out of rows; it has nothing to do with the builtin."""
    return "\n".join(rows)


if __name__ == "__main__":
    print(compile(sys.argv[1:]), Model(abs).predict(sys.argv[1:]))
