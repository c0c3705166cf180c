from courses import Client

API_URL = "https://courses.example.org"
API_KEY = "7~letmein"
client = Client(API_URL, API_KEY)
