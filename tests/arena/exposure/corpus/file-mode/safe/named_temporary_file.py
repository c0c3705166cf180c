import os
import tempfile

with tempfile.NamedTemporaryFile("w", delete=False) as tmp:
    tmp.write("secret")
os.replace(tmp.name, "secret.txt")
