import os
from pathlib import Path

target = Path("secret.txt")
target.write_text("secret")
os.chmod(str(target), 0o600)
