"""From what a trial recorded to what limits the server: causes, with evidence for and against.

A cause (`causes`, one file each) looks at a case and says what it would have to see, what it sees, and
how much it could explain. The engine (`diagnose`) lets arithmetic and signatures decide which of them
stand, puts roots before their symptoms, and says what would decide where watching cannot.
Everything here is a pure function of one case, and a case is a pure function of a trial's folder.
"""
