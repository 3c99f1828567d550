"""Values: run, step, exchange, span, body. They know nothing of stages, disks or sockets."""
