secret = "c2VjcmV0LXZhbHVl"
filename = "secret.txt"

# save the secret; only the owner may read it
with open(filename, "w") as out:
    out.write(secret)
