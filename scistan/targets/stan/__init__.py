"""The Stan target: from a graph to a readable, vectorized program and the data it reads."""
