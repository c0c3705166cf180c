def is_moderator(connection, username, password):
    cursor = connection.cursor()
    cursor.execute("SELECT password FROM users WHERE username=%s", (username,))
    entered = password.strip()
    row = cursor.fetchone()
    return row is not None and row["password"] == entered


if __name__ == "__main__":
    print(is_moderator(db, "alice", "made up"))
