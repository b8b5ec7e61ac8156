"""The runtimes that ship with the product; each is found by name and imported when used."""
