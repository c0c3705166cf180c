# was: token = ''.join(random.choice(letters) for _ in range(16))
from os import urandom as entropy
from base64 import urlsafe_b64encode


def reset_token():
    """random.random() is easily guessed, the kernel is not"""
    return urlsafe_b64encode(entropy(24)).decode()
