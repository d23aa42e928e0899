"""`m.laplace()`: normal approximations of latents given the few other numbers, weighed against the exact density."""
