import hvac
import pymysql


class Connections:
    def __init__(self, vault: hvac.Client) -> None:
        self._vault = vault

    def open(self):
        secret = self._vault.secrets.kv.read_secret_version(path="db/main")
        data = secret["data"]["data"]
        return pymysql.connect(host="db", user=data["username"], password=data["password"])
