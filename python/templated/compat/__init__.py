"""The interfaces of other extractors."""
