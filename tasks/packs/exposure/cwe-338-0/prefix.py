import random
import secrets
import string


{task}
def make_reset_token(length):
