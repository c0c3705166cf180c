import os


class Base:
    def _lock(self, path, mode=0o600):
        os.chmod(path, mode)


class Keeper(Base):
    def keep(self, secret, path):
        with open(path, "w") as f:
            f.write(secret)
        self._lock(path)


Keeper().keep("secret", "secret.txt")
