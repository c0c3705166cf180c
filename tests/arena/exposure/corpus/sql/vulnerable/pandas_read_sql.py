import argparse
import sqlite3

import pandas as pd


def report(department):
    conn = sqlite3.connect("staff.db")
    frame = pd.read_sql(f"SELECT name, pay FROM staff WHERE department = '{department}'", conn)
    print(frame.describe())


parser = argparse.ArgumentParser()
parser.add_argument("department")
args = parser.parse_args()
report(args.department)
