//! Whether a user has a good token: got by the login, kept until it expires or is refused.

use super::LoginMark;

/// A user's token.
#[derive(Debug, Clone, Default)]
pub(super) struct Token {
    state: State,
    /// Logins that worked so far. A request remembers it: a token that has been replaced in the
    /// meantime is not given up because of an answer to a request that carried the old one.
    pub(super) generation: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// None, or no longer good.
    #[default]
    Missing,
    /// A login is under way.
    Asked,
    /// Good until then, if there is an end.
    Good(Option<u64>),
}

/// What a service request of a user needs first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Nothing.
    Nothing,
    /// A login.
    Login,
    /// The end of a login that is under way.
    Patience,
}

impl Token {
    /// What is needed before the next service request.
    pub(super) fn need(&self, now_ns: u64) -> Need {
        match self.state {
            State::Missing => Need::Login,
            State::Asked => Need::Patience,
            State::Good(Some(until)) if until <= now_ns => Need::Login,
            State::Good(_) => Need::Nothing,
        }
    }

    /// Whether it was good when last looked at; also just after a login that worked.
    pub(super) fn is_good(&self) -> bool {
        matches!(self.state, State::Good(_))
    }

    /// The login was sent.
    pub(super) fn ask(&mut self) {
        self.state = State::Asked;
    }

    /// The login worked; the token lasts so long from now on.
    pub(super) fn gained(&mut self, now_ns: u64, lasts_ns: Option<u64>) -> LoginMark {
        let mark = if self.generation == 0 { LoginMark::First } else { LoginMark::Again };
        self.generation = self.generation.wrapping_add(1).max(1);
        self.state = State::Good(lasts_ns.map(|lasts| now_ns.saturating_add(lasts)));
        mark
    }

    /// The login failed or got no answer.
    pub(super) fn failed(&mut self) {
        self.state = State::Missing;
    }

    /// The server refused a request that carried the token of this generation.
    pub(super) fn refused(&mut self, generation: u32) {
        if generation == self.generation && self.is_good() {
            self.state = State::Missing;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LoginMark, Need, Token};

    #[test]
    fn a_user_without_a_token_logs_in_first_and_once() {
        let mut token = Token::default();
        assert_eq!(token.need(0), Need::Login);
        token.ask();
        assert_eq!(token.need(0), Need::Patience);
        assert_eq!(token.gained(5, None), LoginMark::First);
        assert_eq!(token.need(u64::MAX), Need::Nothing);
    }

    #[test]
    fn a_token_lasts_from_its_answer() {
        let mut token = Token::default();
        token.ask();
        token.gained(100, Some(50));
        assert_eq!(token.need(149), Need::Nothing);
        assert_eq!(token.need(150), Need::Login);
        token.ask();
        assert_eq!(token.gained(160, Some(50)), LoginMark::Again);
        assert_eq!(token.need(209), Need::Nothing);
    }

    #[test]
    fn a_failed_login_is_tried_again() {
        let mut token = Token::default();
        token.ask();
        token.failed();
        assert_eq!(token.need(0), Need::Login);
        token.ask();
        assert_eq!(token.gained(1, None), LoginMark::First);
    }

    #[test]
    fn a_refused_token_is_given_up() {
        let mut token = Token::default();
        token.gained(0, None);
        token.refused(token.generation);
        assert_eq!(token.need(0), Need::Login);
    }

    #[test]
    fn a_late_refusal_of_the_old_token_leaves_the_new_one() {
        let mut token = Token::default();
        token.gained(0, None);
        let old = token.generation;
        token.refused(old);
        token.ask();
        token.refused(old);
        assert_eq!(token.need(0), Need::Patience, "the login under way stays the only one");
        token.gained(1, None);
        token.refused(old);
        assert_eq!(token.need(1), Need::Nothing);
    }
}
