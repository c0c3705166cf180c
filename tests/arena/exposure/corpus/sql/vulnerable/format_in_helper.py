import psycopg2
from flask import Blueprint, request, jsonify

members = Blueprint("members", __name__)


def statement_for(name):
    template = "SELECT id, name FROM members WHERE name = '{}'"
    return template.format(name)


def rows(sql):
    connection = psycopg2.connect("dbname=club")
    cursor = connection.cursor()
    cursor.execute(sql)
    result = cursor.fetchall()
    cursor.close()
    connection.close()
    return result


@members.route("/members/<string:name>")
def find(name):
    return jsonify(rows(statement_for(name)))
