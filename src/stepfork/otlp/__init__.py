"""Trace export requests (OTLP over HTTP, protobuf and JSON) to spans, and the replies to them."""
