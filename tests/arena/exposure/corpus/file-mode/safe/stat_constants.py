import os
import stat

OWNER_ONLY = stat.S_IRUSR | stat.S_IWUSR


def save(secret, path):
    with open(path, "w") as f:
        f.write(secret)
    os.chmod(path, OWNER_ONLY)


save("secret", "secret.txt")
