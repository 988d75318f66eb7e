//! Every layout of Ferrowarp, once.
#![no_std]
