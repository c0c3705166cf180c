import os
from threading import Thread


def ping(host):
    Thread(target=os.system, args=("ping -c 1 " + host,)).start()
