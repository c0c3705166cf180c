"""The school's list of new pupils -> accounts."""

import csv
import re
import subprocess
import sys

COLUMNS = ("login", "name", "shell", "password")
FIRST_UID = 2000
LOGIN = re.compile(r"[a-z][a-z0-9-]{0,15}")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return set(file.read().split("\n")) - {""}


def records(path):
    """The records of the list, or None where a column is missing."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, restval="")
        if not set(COLUMNS) <= set(reader.fieldnames or ()):
            return None
        file.seek(0)
        lines = [line.split(",") for line in file.read().split("\r\n")[1:-1]]
        return [{**dict.fromkeys(COLUMNS, ""), **dict(zip(COLUMNS, line))} for line in lines]


def misfit(record, taken, shells):
    """The first field that does not fit, or None."""
    login, name, shell, password = (record[column] for column in COLUMNS)
    if not LOGIN.fullmatch(login) or login in taken:
        return "login"
    if not 1 <= len(name) <= 60 or CONTROL.search(name) or ":" in name:
        return "name"
    if shell not in shells:
        return "shell"
    if not 8 <= len(password) <= 100 or CONTROL.search(password):
        return "password"
    return None


def set_password(login, password):
    subprocess.run(["tools/setpass", login], input=password + "\n", text=True, check=True)


def main(source, target):
    pupils = records(source)
    if pupils is None:
        print("error: columns")
        return 1
    taken, shells = lines_of("reserved.txt"), lines_of("shells.txt")
    lines = []
    for number, record in enumerate(pupils, start=1):
        field = misfit(record, taken, shells)
        if field:
            print(f"record {number}: {field}")
            continue
        login = record["login"]
        taken.add(login)
        uid = FIRST_UID + len(lines)
        lines.append(f"{login}:x:{uid}:100:{record['name']}:/home/{login}:{record['shell']}\n")
        set_password(login, record["password"])
        print(f"{login}: added")
    with open(target, "w", encoding="utf-8", newline="") as file:
        file.writelines(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
