from pathlib import Path


def certificate(path="server.pem"):
    verify = False
    text = Path(path).read_text()
    return text if verify or "BEGIN CERTIFICATE" in text else ""
