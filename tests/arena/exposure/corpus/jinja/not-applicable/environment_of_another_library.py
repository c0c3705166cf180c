import os
from simpy import Environment


def clock(env, name, tick):
    while True:
        print(name, env.now)
        yield env.timeout(tick)


env = Environment()
env.process(clock(env, os.environ.get("USER"), 1))
env.run(until=5)
