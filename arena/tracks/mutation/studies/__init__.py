"""Studies of SecMutBench: each file is a command `arena study NAME`."""
