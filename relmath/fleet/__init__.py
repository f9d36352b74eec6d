"""How a fleet is kept healthy: a module a chapter of the part."""
