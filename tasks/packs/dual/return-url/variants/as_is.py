import re

PLACE = re.compile(r"/(?!/)[!-\[\]-~]*")
LONGEST = 2000


def return_target(next):
    return next
