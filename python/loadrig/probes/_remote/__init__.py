"""The observer on another host: the pipe, the protocol, one clock, and either end."""
