import boto3, json
import mysql.connector


def open_connection():
    client = boto3.client("secretsmanager", region_name="eu-west-1")
    secret = json.loads(client.get_secret_value(SecretId="shop/mysql")["SecretString"])
    return mysql.connector.connect(host=secret["host"], user=secret["username"], password=secret["password"],
                                   database="shop")
