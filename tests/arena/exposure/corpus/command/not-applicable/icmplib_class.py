from icmplib import ping
import argparse


class Prober:
    def __init__(self, hosts):
        self.hosts = hosts

    def system(self, host):
        """Named like os.system, but it is not."""
        return ping(host, count=1, privileged=False)

    def all(self):
        return {host: self.system(host).is_alive for host in self.hosts}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("hosts", nargs="+")
    print(Prober(parser.parse_args().hosts).all())
