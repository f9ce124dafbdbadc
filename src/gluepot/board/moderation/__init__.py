"""Who decides what becomes public: Django's admin, behind a second factor, and a trail of everything that was decided."""
