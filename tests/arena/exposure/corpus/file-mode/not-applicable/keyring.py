import keyring

keyring.set_password("app", "owner", "value")
print(keyring.get_password("app", "owner") is not None)
