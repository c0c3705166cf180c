import hashlib
import getpass

ALGORITHM = "md5"

passphrase = getpass.getpass("Passphrase: ")
h = hashlib.new(ALGORITHM)
h.update(passphrase.encode())
print(h.hexdigest())
