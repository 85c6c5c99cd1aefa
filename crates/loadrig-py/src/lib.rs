//! Python's door to the crates; converts, and nothing else. What only Linux's kernel tells is missing elsewhere.

mod engine;
mod failure;
mod histogram;
#[cfg(target_os = "linux")]
mod probes;
mod protos;
mod proxy;
mod series;
#[cfg(target_os = "linux")]
mod stages;
#[cfg(target_os = "linux")]
mod threads;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::engine::{check_config, check_expression, due_arrivals, render_requests, serve, serve_null};
    #[pymodule_export]
    use crate::histogram::Histogram;
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use crate::probes::{
        Connections, Listener, Look, ProcessFacts, Sockets, core_work, process_table, process_tree,
        read_processes, read_tasks, socket_holders,
    };
    #[pymodule_export]
    use crate::protos::{compile_protos, grpc_method};
    #[pymodule_export]
    use crate::proxy::serve_proxy;
    #[pymodule_export]
    use crate::series::{SeriesPart, SeriesParts, pack_series};
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use crate::stages::{SocketStages, StageMeans, StageSight};
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use crate::threads::{ThreadBurst, ThreadCounts, Threads};
}
