from random import random as r


def pi(n=10000):
    inside = 0
    for _ in range(n):
        x, y = r(), r()
        if x * x + y * y <= 1:
            inside += 1
    return 4.0 * inside / n
