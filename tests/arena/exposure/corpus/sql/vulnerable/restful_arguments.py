from flask_restful import Resource, reqparse
import psycopg2

parser = reqparse.RequestParser()
parser.add_argument("name", required=True)


class Person(Resource):
    def delete(self):
        args = parser.parse_args()
        conn = psycopg2.connect("dbname=people")
        with conn, conn.cursor() as cur:
            cur.execute("DELETE FROM people WHERE name = '" + args["name"] + "'")
        return {"deleted": args["name"]}
