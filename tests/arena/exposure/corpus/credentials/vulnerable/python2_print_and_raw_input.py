import sys
import getpass

username = raw_input("Username: ")
password = getpass.getpass()
if username in ["mod", "admin"] and password == "hunter2":
    print("moderator %s" % username)
else:
    print("no")
    sys.exit(1)
