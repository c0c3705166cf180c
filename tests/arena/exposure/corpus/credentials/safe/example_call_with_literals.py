import hashlib
import sqlite3


def is_moderator(username, password):
    connection = sqlite3.connect("people.db")
    try:
        row = connection.execute(
            "SELECT salt, digest FROM moderators WHERE username = ?", (username,)
        ).fetchone()
    finally:
        connection.close()
    if not row:
        return False
    salt, digest = row
    return hashlib.scrypt(password.encode(), salt=salt, n=16384, r=8, p=1) == digest


if __name__ == "__main__":
    # try it
    print(is_moderator("mallory", "not the right one"))
