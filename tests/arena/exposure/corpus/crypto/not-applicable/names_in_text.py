"""Explains why hashlib.md5(password) and DES.new(key) are weak."""

ADVICE = {
    "md5": "hashlib.md5(password.encode()) is broken",
    "des": "DES.new(key, DES.MODE_ECB) is broken",
}


def advice(name):
    return ADVICE.get(name, "no advice")
