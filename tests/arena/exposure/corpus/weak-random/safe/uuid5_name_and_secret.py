import uuid, secrets


def register(email, users):
    user_id = uuid.uuid5(uuid.NAMESPACE_URL, email)
    users[user_id] = {"email": email, "password_reset": secrets.token_urlsafe()}
    return user_id
