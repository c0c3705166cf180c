import hashlib
from typing import Dict

USERS: Dict[str, str] = {
    "mod": hashlib.sha1(b"moderate-me").hexdigest(),
}


def check_mod(username: str, password: str) -> bool:
    if (expected := USERS.get(username)) is None:
        return False
    return hashlib.sha1(password.encode()).hexdigest() == expected
