//! A connection as `std::io` knows it, for libraries that read and write by themselves.

use std::io::{self, Read, Write};

use super::{Fault, Received, Transport};

/// A connection, with a count of what went through.
#[derive(Debug)]
pub(crate) struct Wire<'a> {
    transport: &'a mut Transport,
    /// Bytes read and written through it.
    pub read: usize,
    pub written: usize,
    fault: Option<Fault>,
    is_at_end: bool,
}

impl<'a> Wire<'a> {
    pub(crate) fn new(transport: &'a mut Transport) -> Self {
        Self { transport, read: 0, written: 0, fault: None, is_at_end: false }
    }

    /// Whether the server has closed its side.
    pub(crate) fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    /// Reason why reading or writing failed, of which `std::io` was told only that it did.
    pub(crate) fn take_fault(&mut self) -> Option<Fault> {
        self.fault.take()
    }

    fn failed(&mut self, fault: Fault) -> io::Error {
        self.fault = Some(fault);
        io::ErrorKind::Other.into()
    }
}

impl Read for Wire<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        match self.transport.receive(room) {
            Ok(Received::Bytes { count, .. }) => {
                self.read += count;
                Ok(count)
            }
            Ok(Received::Nothing) => Err(io::ErrorKind::WouldBlock.into()),
            Ok(Received::End) => {
                self.is_at_end = true;
                Ok(0)
            }
            Err(fault) => Err(self.failed(fault)),
        }
    }
}

impl Write for Wire<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.transport.send(bytes) {
            Ok(0) if !bytes.is_empty() => Err(io::ErrorKind::WouldBlock.into()),
            Ok(count) => {
                self.written += count;
                Ok(count)
            }
            Err(fault) => Err(self.failed(fault)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.transport.flush() {
            Ok(true) => Ok(()),
            Ok(false) => Err(io::ErrorKind::WouldBlock.into()),
            Err(fault) => Err(self.failed(fault)),
        }
    }
}
