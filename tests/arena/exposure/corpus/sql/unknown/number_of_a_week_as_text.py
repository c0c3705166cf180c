def week(cursor):
    cursor.execute("SELECT * FROM meals_" + str(weekNumber))
