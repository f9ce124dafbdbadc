"""Tables of this room, as they came."""
