import secrets as random


def session_token():
    """The module is called random here, but it is not that one."""
    return random.token_hex(16)
