//! Link manager of Ferrowarp. The room is reserved: its first code comes with the issue "First contact".
#![no_std]
