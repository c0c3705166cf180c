from sqlalchemy import create_engine
from sqlalchemy.orm import sessionmaker

ENGINE = create_engine("postgresql+psycopg2://app:s3cr3t@db.internal:5432/app", echo=False)
Session = sessionmaker(bind=ENGINE)


def get_session():
    return Session()
