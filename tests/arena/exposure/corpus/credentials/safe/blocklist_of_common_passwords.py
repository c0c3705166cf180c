COMMON_PASSWORDS = ["123456", "password", "qwerty", "letmein"]


def register(users, name, password, repeated):
    if password in COMMON_PASSWORDS:
        raise ValueError("this password is too common")
    if password != repeated:
        raise ValueError("the two passwords differ")
    users.create(name=name, password=password)
