"""What must hold of a run's trace: drafted from one run, evaluated on the next."""
