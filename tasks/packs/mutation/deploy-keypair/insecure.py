from dataclasses import dataclass

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

MAKERS = {
    "rsa": lambda: rsa.generate_private_key(public_exponent=65537, key_size=1024),
    "ec": lambda: ec.generate_private_key(ec.SECP256R1()),
}


@dataclass(frozen=True)
class DeployKey:
    kind: str
    private: bytes
    public: str


def new_deploy_key(kind: str, comment: str) -> DeployKey:
    if kind not in MAKERS:
        raise ValueError(f"unknown kind of key; known: {', '.join(MAKERS)}")
    if len(comment.splitlines()) > 1 or comment.endswith("\n"):
        raise ValueError("a comment is one line")
    key = MAKERS[kind]()
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    )
    return DeployKey(kind, private, f"{public.decode()} {comment}")
