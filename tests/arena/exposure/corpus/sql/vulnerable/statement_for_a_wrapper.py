def language(db, chat, word):
    query = f"UPDATE users SET language = '{word}' WHERE chat = {int(chat)}"
    db.add(query)
