import os
import stat


{task}
def save(secret):
    with open("secret.txt", "w") as file:
        file.write(secret)
