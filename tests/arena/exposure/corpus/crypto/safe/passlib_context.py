from passlib.context import CryptContext
from passlib.hash import pbkdf2_sha256

context = CryptContext(schemes=["argon2", "bcrypt"], deprecated="auto")


def hash_password(password):
    return context.hash(password)


def fallback(password):
    return pbkdf2_sha256.hash(password)
