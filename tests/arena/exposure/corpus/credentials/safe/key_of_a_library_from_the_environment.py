import os
import weatherlib

weatherlib.api_key = os.environ["WEATHER_KEY"]


def today(town):
    return weatherlib.forecast(town)
