//! Names of pools of threads, and how many names are told apart.

use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::sync::{Arc, Mutex, PoisonError};

/// Name of what has no name of its own.
pub const OTHERS: &str = "others";

/// A thread's name with its number as "#": the threads of a pool differ in their number only.
///
/// The last number of the name is the thread's. Numbers before it stay, such as a port
/// ("http-nio-8080-exec-#") or that of the pool ("pool-2-thread-#").
#[must_use]
pub fn folded(name: &str) -> String {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let Some(last) = name.as_bytes().iter().rposition(is_digit) else { return name.to_owned() };
    let first = name.as_bytes()[..last].iter().rposition(|byte| !is_digit(byte)).map_or(0, |place| place + 1);
    // Digits are single bytes, so both cuts lie between characters.
    format!("{}#{}", &name[..first], &name[last + 1..])
}

/// Names that are told apart. Those that are seen first keep theirs, the largest of them first.
#[derive(Debug)]
pub struct Names {
    most: usize,
    named: FxHashSet<Arc<str>>,
}

/// Names that two readers tell apart alike.
pub type SharedNames = Arc<Mutex<Names>>;

impl Names {
    /// Room for `most` names.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, named: FxHashSet::default() }
    }

    /// The same for two readers.
    #[must_use]
    pub fn shared(most: usize) -> SharedNames {
        Arc::new(Mutex::new(Self::new(most)))
    }

    /// Gives names to the largest of these, as long as there is room.
    pub fn admit(&mut self, sizes: impl IntoIterator<Item = (Arc<str>, u64)>) {
        let room = self.most.saturating_sub(self.named.len());
        if room == 0 {
            return;
        }
        let unnamed = sizes.into_iter().filter(|(name, _)| !self.named.contains(name));
        let mut unnamed: Vec<_> = unnamed.map(|(name, size)| (Reverse(size), name)).collect();
        unnamed.sort_unstable();
        self.named.extend(unnamed.into_iter().take(room).map(|(_, name)| name));
    }

    /// The name under which this one is told.
    #[must_use]
    pub fn shown<'a>(&self, name: &'a str) -> &'a str {
        if self.named.contains(name) { name } else { OTHERS }
    }
}

/// Works with shared names. A reader that panicked has left them whole: a set is changed in one call.
pub(crate) fn with<T>(names: &SharedNames, work: impl FnOnce(&mut Names) -> T) -> T {
    work(&mut names.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_threads_of_a_pool_have_one_name_and_two_pools_have_two() {
        assert_eq!(folded("http-nio-8080-exec-12"), "http-nio-8080-exec-#");
        assert_eq!(folded("pool-2-thread-1"), "pool-2-thread-#");
        assert_eq!(folded("Thread-7 (burn)"), "Thread-# (burn)");
        assert_eq!(folded("42"), "#");
        assert_eq!(folded("gunicorn: maste"), "gunicorn: maste");
        assert_eq!(folded("wörker-3é"), "wörker-#é");
        assert_eq!(folded(""), "");
    }

    #[test]
    fn the_largest_are_named_and_keep_their_names() {
        let mut names = Names::new(2);
        names.admit([("a".into(), 1), ("b".into(), 9), ("c".into(), 5)]);
        names.admit([("a".into(), 100), ("b".into(), 1)]);
        let shown: Vec<_> = ["a", "b", "c"].map(|name| names.shown(name)).into();
        assert_eq!(shown, [OTHERS, "b", "c"]);
    }

    proptest! {
        #[test]
        fn names_that_differ_in_their_last_number_are_one(
            stem in "[a-zé -]{0,8}", end in "[a-z)]{0,3}", one in 0..99_999_u32, two in 0..99_999_u32,
        ) {
            let name = |number: u32| folded(&format!("{stem}{number}{end}"));
            prop_assert_eq!(name(one), name(two));
            prop_assert_eq!(folded(&name(one)), name(one));
        }

        #[test]
        fn never_are_more_told_apart_than_there_is_room_for(
            most in 0..5_usize, looks in prop::collection::vec(prop::collection::vec("[a-f]{1,2}", 0..9), 0..6),
        ) {
            let mut names = Names::new(most);
            for look in looks {
                names.admit(look.into_iter().map(|name| (Arc::from(name), 1)));
            }
            prop_assert!(names.named.len() <= most);
        }
    }
}
