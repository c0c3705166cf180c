def load_moderators():
    return {"ada": "lovelace1", "alan": "enigma"}


def is_moderator(username, password):
    moderators = load_moderators()
    if username not in moderators:
        return False
    return moderators[username] == password


if __name__ == "__main__":
    u = input("user: ")
    p = input("password: ")
    print(is_moderator(u, p))
