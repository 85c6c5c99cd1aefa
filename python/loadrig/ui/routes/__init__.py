"""Addresses of the page's server: each file declares those of its subject as `ROUTES`."""
