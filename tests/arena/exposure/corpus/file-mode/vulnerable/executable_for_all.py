import os
from os import chmod

secret_file = os.path.join(os.getcwd(), "secret.txt")
with open(secret_file, "wb") as f:
    f.write(b"secret")
chmod(secret_file, 0o711)
