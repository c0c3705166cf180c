"""Studies of *From Model to Breach*, each a command `arena study NAME`."""
