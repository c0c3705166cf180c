import web

urls = ("/find", "Find")
db = web.database(dbn="sqlite", db="find.db")


class Find:
    def GET(self):
        i = web.input(name="")
        rows = db.query("SELECT * FROM people WHERE name = '" + i.name + "'")
        return "\n".join(r.name for r in rows)


if __name__ == "__main__":
    web.application(urls, globals()).run()
