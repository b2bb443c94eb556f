"""The call shapes of other extractors."""
