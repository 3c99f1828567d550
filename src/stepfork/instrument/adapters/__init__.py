"""Clients, tools and models of other packages as instrumented calls. None of them is imported here: whoever has an
object of one to wrap has loaded it."""
