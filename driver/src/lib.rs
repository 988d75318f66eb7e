//! User-space verbs for the Ferrowarp RNIC. The room is reserved: its first code comes with the issue "First contact".
