from pathlib import Path

folder = Path("/tmp") / "keys"
folder.mkdir(exist_ok=True)
with (folder / "secret").open("w", encoding="utf-8") as out:
    out.write("secret")
