class Build:
    def get(self, number):
        try:
            int(number)
        except ValueError as error:
            self.response.write(f"<p>{error}</p>")
