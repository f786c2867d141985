"""The Marketing API behind the core's `Graph` port: `client.GraphClient` is the way in."""
