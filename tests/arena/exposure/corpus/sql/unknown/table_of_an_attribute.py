class Shelf:
    def load(self, connection, number):
        return connection.execute(f"SELECT * FROM {self.table} WHERE id = ?", (number,))
