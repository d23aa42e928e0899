"""Is the model right: simulation-based calibration, cross-validation, predictive checks and sensitivity."""
