from passlib.context import CryptContext

context = CryptContext(schemes=["md5_crypt", "bcrypt"])


def protect(password):
    return context.hash(password)
