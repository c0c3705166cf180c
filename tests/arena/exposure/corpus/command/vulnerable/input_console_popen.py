import os
import platform

# asks for a host and pings it, works on windows and linux


def main():
    host = input("Host to ping: ").strip()
    flag = "-n" if platform.system().lower() == "windows" else "-c"
    stream = os.popen("ping {} 4 {}".format(flag, host))
    for line in stream.readlines():
        print(line.rstrip())
    stream.close()


if __name__ == "__main__":
    main()
