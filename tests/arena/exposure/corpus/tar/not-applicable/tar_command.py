import subprocess
import tarfile

subprocess.run(["tar", "-xf", "archive.tar", "-C", "/tmp/unpack"], check=True)
