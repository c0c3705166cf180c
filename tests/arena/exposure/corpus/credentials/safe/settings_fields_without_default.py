from pydantic_settings import BaseSettings
import pymysql
class Settings(BaseSettings):
    db_host: str = "localhost"
    db_user: str
    db_password: str
settings = Settings()
def open_connection():
    return pymysql.connect(host=settings.db_host, user=settings.db_user, password=settings.db_password, database="shop")
