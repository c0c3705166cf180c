import pandas as pd
import numpy as np
import sys

frame = pd.read_csv(sys.argv[1])
grid = np.load(sys.argv[2])
print(frame.describe())
print(grid.sum())
