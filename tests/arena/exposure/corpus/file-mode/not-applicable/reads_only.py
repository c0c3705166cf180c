with open("secret.txt") as f:
    secret = f.read()

print("the secret has %d letters" % len(secret))
