"""`ss.profile()` and `fit.profile`: what each stage took, what each statement costs, and what would make it faster."""
