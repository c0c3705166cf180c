import random
import string
import sys


def random_string(length):
    letters = string.ascii_letters
    return "".join(random.choice(letters) for i in range(length))


def create_user(name):
    password = random_string(10)
    print("user %s, password %s" % (name, password))


create_user(sys.argv[1])
