def language(db, chat, word):
    db.add("UPDATE users SET language = ? WHERE chat = ?", (word, chat))
