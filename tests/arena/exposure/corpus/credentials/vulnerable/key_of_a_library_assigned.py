import weatherlib

weatherlib.api_key = "d41f-forecast-77"


def today(town):
    return weatherlib.forecast(town)
