"""Which target and engine can do what: for all models (`ss.backends()`), and for one (`m.capabilities()`)."""
