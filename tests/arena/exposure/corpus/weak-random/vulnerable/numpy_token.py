import numpy as np


def session_token():
    numbers = np.random.randint(0, 16, size=40)
    return "".join("{:x}".format(n) for n in numbers)
