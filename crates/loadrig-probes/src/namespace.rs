//! Work done inside another network namespace.

use rustix::fd::AsFd;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::File;
use std::io;
use std::path::Path;
use std::thread;

/// A network namespace: that of this process, or one that is held open.
#[derive(Default)]
pub struct Namespace(Option<File>);

impl Namespace {
    /// The namespace that `path` leads to, such as `/proc/PID/ns/net`; with None, this process's own.
    pub fn open(path: Option<&Path>) -> io::Result<Self> {
        Ok(Self(path.map(File::open).transpose()?))
    }

    /// Does `work` in the namespace.
    ///
    /// In a thread of its own that ends with the work, so that no other thread finds itself elsewhere.
    /// What the work opens (a socket) stays in that namespace. Entering one needs the right
    /// `CAP_SYS_ADMIN`: an error of kind `PermissionDenied` without it.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        let Some(namespace) = &self.0 else { return work() };
        thread::scope(|scope| {
            let inside = thread::Builder::new().name("loadrig-netns".into()).spawn_scoped(scope, || {
                move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?;
                work()
            })?;
            inside.join().map_err(|_| io::Error::other("the thread in the namespace panicked"))?
        })
    }
}
