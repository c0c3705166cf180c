class Rule:
    def holds(self, row):
        return eval(self.text, {"row": row})
