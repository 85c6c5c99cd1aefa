"""Resources that are full, who holds them, what a mend would bring, and which limits come next."""
