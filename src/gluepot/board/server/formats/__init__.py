"""Date formats for languages in which Django's default is ambiguous."""
