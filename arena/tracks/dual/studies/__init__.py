"""Studies of DualGauge, each a command `arena study NAME`."""
