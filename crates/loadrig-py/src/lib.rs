//! Python's door to the crates; converts, and nothing else.

mod engine;
mod histogram;
mod probes;
mod protos;
mod proxy;
mod series;
mod stages;
mod threads;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::engine::{check_config, due_arrivals, render_requests, serve, serve_null};
    #[pymodule_export]
    use crate::histogram::Histogram;
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
    #[pymodule_export]
    use crate::stages::{SocketStages, StageMeans, StageSight};
    #[pymodule_export]
    use crate::threads::{ThreadBurst, ThreadCounts, Threads};
}
