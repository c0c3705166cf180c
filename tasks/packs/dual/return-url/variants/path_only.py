import re

PLACE = re.compile(r"/(?!/)[A-Za-z0-9/]*")
LONGEST = 2000


def return_target(next):
    return next if len(next) <= LONGEST and PLACE.fullmatch(next) else "/"
