"""Derivatives of graphs as graphs, who computes them, and plain functions read as graphs."""
