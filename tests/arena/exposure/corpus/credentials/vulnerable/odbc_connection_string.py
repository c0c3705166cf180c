import pyodbc

server = "tcp:sql.example.com"
database = "payroll"
username = "payroll_app"
password = "Spring2021"
cnxn = pyodbc.connect(
    "DRIVER={SQL Server};SERVER="
    + server
    + ";DATABASE="
    + database
    + ";UID="
    + username
    + ";PWD="
    + password
)
cursor = cnxn.cursor()
