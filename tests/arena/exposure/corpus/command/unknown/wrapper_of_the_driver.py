class Driver:
    def detach(self, volume):
        return self._execute(["volume", "detach", volume])
