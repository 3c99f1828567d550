"""A scripted model server, loopback only: three APIs, streamed or not, fresh ids and clocks at each answer."""
