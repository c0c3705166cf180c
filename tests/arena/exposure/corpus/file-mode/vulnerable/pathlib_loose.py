from pathlib import Path

target = Path.home() / ".app" / "secret"
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text("very secret")
target.chmod(0o664)
