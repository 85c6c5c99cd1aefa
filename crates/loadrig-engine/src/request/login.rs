//! Whether a user has a good token: got by the login, kept until it expires or is refused.

use super::LoginMark;
use loadrig_core::units::ns_from_s;

/// A user's token.
#[derive(Debug, Clone, Default)]
pub(super) struct Token {
    state: State,
    /// Logins that worked so far. A request remembers it: a token that has been replaced in the
    /// meantime is not given up because of an answer to a request that carried the old one.
    pub(super) generation: u32,
    /// Instant at which the last one ends that was gained, as its login said; it may be renewed before.
    ends_ns: Option<u64>,
}

/// An early renewal whose token ends no more than so much later than the one before has gained nothing:
/// this server's tokens end at moments of the clock, in whole seconds at the finest.
const NO_LATER_NS: u64 = 1_000_000_000;

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

/// Requests that must come before a service request of a user.
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
    /// Request that must come before the next service request.
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

    /// The login worked; the token lasts so long from now on, and is renewed `early`, a share of its
    /// life from 0 to 1, before its end.
    ///
    /// A token that was got early and ends when the one before would have ended is kept to its end:
    /// it would else be renewed again and again, ever shorter before an end that stays where it is.
    pub(super) fn gained(&mut self, now_ns: u64, lasts_ns: Option<u64>, early: f64) -> LoginMark {
        let mark = if self.generation == 0 { LoginMark::First } else { LoginMark::Again };
        self.generation = self.generation.wrapping_add(1).max(1);
        let ends_ns = lasts_ns.map(|lasts| now_ns.saturating_add(lasts));
        let is_no_later = match (self.ends_ns, ends_ns) {
            (Some(before), Some(after)) => before > now_ns && after <= before.saturating_add(NO_LATER_NS),
            _ => false,
        };
        let early = if is_no_later { 0.0 } else { early };
        self.ends_ns = ends_ns;
        self.state = State::Good(lasts_ns.map(|lasts| {
            let sooner_ns = ns_from_s(early * lasts as f64 * 1e-9);
            now_ns.saturating_add(lasts.saturating_sub(sooner_ns))
        }));
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
            // It had another end than its login said: nothing is known of the next one's.
            self.ends_ns = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LoginMark, Need, Token};

    const S: u64 = 1_000_000_000;

    #[test]
    fn a_user_without_a_token_logs_in_first_and_once() {
        let mut token = Token::default();
        assert_eq!(token.need(0), Need::Login);
        token.ask();
        assert_eq!(token.need(0), Need::Patience);
        assert_eq!(token.gained(5, None, 0.0), LoginMark::First);
        assert_eq!(token.need(u64::MAX), Need::Nothing);
    }

    #[test]
    fn a_token_lasts_from_its_answer() {
        let mut token = Token::default();
        token.ask();
        token.gained(100, Some(50), 0.0);
        assert_eq!(token.need(149), Need::Nothing);
        assert_eq!(token.need(150), Need::Login);
        token.ask();
        assert_eq!(token.gained(160, Some(50), 0.0), LoginMark::Again);
        assert_eq!(token.need(209), Need::Nothing);
    }

    #[test]
    fn a_token_is_renewed_by_its_share_before_its_end() {
        let mut token = Token::default();
        token.gained(100, Some(10 * S), 0.25);
        assert_eq!(token.need(100 + 7 * S + S / 2 - 1), Need::Nothing);
        assert_eq!(token.need(100 + 7 * S + S / 2), Need::Login);
        token.gained(8 * S, Some(10 * S), 1.0);
        assert_eq!(token.need(8 * S), Need::Login, "all of its life earlier");
        token.gained(0, None, 0.5);
        assert_eq!(token.need(u64::MAX), Need::Nothing, "without an end there is no before");
    }

    #[test]
    fn a_token_that_was_renewed_early_for_nothing_is_kept_to_its_end() {
        let mut token = Token::default();
        token.gained(0, Some(12 * S), 0.5);
        assert_eq!(token.need(6 * S), Need::Login);
        // This server's tokens end at 12 s, whenever they are got; what is left it says in whole seconds.
        token.gained(6 * S + S / 2, Some(6 * S), 0.5);
        assert_eq!(token.need(12 * S), Need::Nothing);
        assert_eq!(token.need(12 * S + S / 2), Need::Login);
        // After that end the next one counts.
        token.gained(13 * S, Some(11 * S), 0.5);
        assert_eq!(token.need(19 * S), Need::Login);
    }

    #[test]
    fn a_token_in_place_of_a_refused_one_is_renewed_early_too() {
        let mut token = Token::default();
        token.gained(0, Some(12 * S), 0.5);
        token.refused(token.generation);
        token.gained(S / 2, Some(12 * S), 0.5);
        assert_eq!(token.need(6 * S + S / 2), Need::Login);
    }

    #[test]
    fn a_failed_login_is_tried_again() {
        let mut token = Token::default();
        token.ask();
        token.failed();
        assert_eq!(token.need(0), Need::Login);
        token.ask();
        assert_eq!(token.gained(1, None, 0.0), LoginMark::First);
    }

    #[test]
    fn a_refused_token_is_given_up() {
        let mut token = Token::default();
        token.gained(0, None, 0.0);
        token.refused(token.generation);
        assert_eq!(token.need(0), Need::Login);
    }

    #[test]
    fn a_late_refusal_of_the_old_token_leaves_the_new_one() {
        let mut token = Token::default();
        token.gained(0, None, 0.0);
        let old = token.generation;
        token.refused(old);
        token.ask();
        token.refused(old);
        assert_eq!(token.need(0), Need::Patience, "the login under way stays the only one");
        token.gained(1, None, 0.0);
        token.refused(old);
        assert_eq!(token.need(1), Need::Nothing);
    }
}
