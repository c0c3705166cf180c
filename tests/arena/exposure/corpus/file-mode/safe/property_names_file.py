import os
from pathlib import Path
class Vault:
    def __init__(self, directory="."):
        self.directory = Path(directory)
    @property
    def file(self):
        return self.directory / "secret.txt"
    def save(self, secret):
        self.file.write_text(secret)
        self.file.chmod(0o600)
Vault().save("x")
