"""Run a Stan program: one small adapter per engine, one protocol for all."""
