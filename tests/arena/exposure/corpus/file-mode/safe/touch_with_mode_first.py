from pathlib import Path

where = Path.home() / ".secret"
where.touch(mode=0o600, exist_ok=True)
where.write_bytes(b"secret")
