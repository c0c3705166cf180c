def insert_message(connection, username, message):
    # TODO: escape?
    cursor = connection.cursor()
    query = "INSERT INTO messages(username, message) VALUES ('{0}', '{1}')".format(
        username, message
    )
    cursor.execute(query)
    connection.commit()
    cursor.close()
