import sys


def hello(username):
    """Say hello."""
    print("<h1>Hello " + username + "</h1>")


if __name__ == "__main__":
    hello(sys.argv[1] if len(sys.argv) > 1 else input("name: "))
