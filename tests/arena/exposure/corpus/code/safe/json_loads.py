import json
import sys


def read_numbers(text):
    numbers = json.loads(text)
    if not all(isinstance(n, (int, float)) for n in numbers):
        raise ValueError("numbers expected")
    return numbers


def mean(numbers):
    return sum(numbers) / len(numbers)


if __name__ == "__main__":
    print(mean(read_numbers(sys.stdin.read())))
