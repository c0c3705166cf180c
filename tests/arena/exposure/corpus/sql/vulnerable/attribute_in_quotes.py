class Member:
    def load(self, connection):
        return connection.execute("SELECT id FROM member WHERE mail = '" + self.mail + "'")
