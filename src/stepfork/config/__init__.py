"""Settings from config.toml, the environment and .env: the only room that reads the environment."""
