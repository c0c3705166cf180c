import sqlite3

db = sqlite3.connect("phone.db")
c = db.cursor()


def main():
    who = input("Name to look up: ").strip()
    for row in c.execute(f"select number from phones where owner like '%{who}%'"):
        print(row[0])


if __name__ == "__main__":
    main()
    db.close()
