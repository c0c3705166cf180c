from pathlib import Path

target = Path("secret.txt")
target.write_text("very secret")
target.chmod(0o600)
