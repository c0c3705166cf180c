import subprocess


class Ping:
    """Pings a host with the system's tool."""

    def __init__(self, host, count=1):
        self.host = host
        self.count = count

    def command(self):
        return ["ping", "-c", str(self.count), self.host]

    def run(self):
        with open("/dev/null", "w") as nothing:
            return subprocess.call(self.command(), stdout=nothing, stderr=nothing) == 0


if __name__ == "__main__":
    print(Ping(input("host? ")).run())
