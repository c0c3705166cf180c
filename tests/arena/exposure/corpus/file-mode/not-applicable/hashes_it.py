import hashlib

secret = "value"
print(hashlib.sha256(secret.encode()).hexdigest())
