//! The stage of a Unix socket. It bears no times: only its queues tell.

use crate::stages::stage::{Side, Stage};
use crate::wire::UnixStream;

impl Side {
    /// Tells the stage of a connected Unix stream socket.
    pub(crate) fn unix_stage(self, socket: &UnixStream) -> Stage {
        match (self, socket.receive_queue > 0, socket.send_queue > 0) {
            (Self::Server, true, _) => Stage::Unread,
            (Self::Server, false, true) => Stage::Sending,
            (Self::Client, true, _) => Stage::AnswerUnread,
            (Self::Client, false, true) => Stage::Awaiting,
            (_, false, false) => Stage::Unclear,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_tell_what_was_not_read_and_empty_ones_tell_nothing() {
        let stages = |receive_queue, send_queue| {
            let socket = UnixStream {
                name: None,
                peer: Some(2),
                is_listening: false,
                waiting: Vec::new(),
                cookie: 1,
                receive_queue,
                send_queue,
                inode: 1,
            };
            [Side::Server, Side::Client].map(|side| side.unix_stage(&socket))
        };
        assert_eq!(stages(9, 0), [Stage::Unread, Stage::AnswerUnread]);
        assert_eq!(stages(0, 9), [Stage::Sending, Stage::Awaiting]);
        assert_eq!(stages(0, 0), [Stage::Unclear, Stage::Unclear]);
    }
}
