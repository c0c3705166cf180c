import os
import stat


def save_secret(secret, path):
    """Save the secret; os.chmod(path, 0o600)."""
    # TODO: write the file
    pass
