from random import SystemRandom


def otp():
    return "%06d" % SystemRandom().randint(0, 999999)
