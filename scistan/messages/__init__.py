"""Wording of every error and hint, one module per part of the house."""
