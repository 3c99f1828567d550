"""Is a test's expectation anchored in a claim, or only in the run that it came from?"""
