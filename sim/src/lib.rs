//! Verilated models of Ferrowarp, test benches, monitors.
