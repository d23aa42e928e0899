"""From a graph to something that runs: SciPy, torch, Stan; the three do not know each other."""
