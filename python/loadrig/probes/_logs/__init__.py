"""What a server's logs say: which there are, how they are followed, and what is made of their lines."""
