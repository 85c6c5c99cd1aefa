//! Facts of the kernel, read fast: TCP sockets by netlink, processes by /proc.
//! What is read is counted here, so that Python is handed a few figures, not 50,000 sockets.
//! Knows neither the engine nor Python.
#![forbid(unsafe_code)]

pub mod holders;
pub mod namespace;
mod netlink;
pub mod processes;
pub mod roles;
mod seen;
pub mod sockets;
pub mod speed;
pub mod stages;
pub mod tasks;
pub mod threads;
pub mod wire;
