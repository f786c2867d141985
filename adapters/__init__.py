"""Everything that touches the outside: the API, the ledger, the command line."""
