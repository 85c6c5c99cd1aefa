//! Sources of the values of holes: lists, tables, counters, random numbers; shared out to users
//! and shards so that together they use what one alone would.

use super::permutation::{Permutation, mix};
use super::population::users_at_most;
use super::user::{User, Walk};
use crate::config::{EngineConfig, FeedOrder, FeedSpan, Refusal};
use loadrig_core::schedule::Shard;
use std::io::Write as _;
use std::sync::Arc;

/// All feeds of one shard.
pub(super) struct Feeds {
    groups: Vec<Group>,
    columns: Vec<Column>,
}

/// Number of a draw; columns of one table share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GroupId(usize);

/// Number of a column of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ColumnId(usize);

/// Values of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawn {
    Row(usize),
    Number(i64),
}

/// Source of values that are drawn together.
struct Group {
    name: String,
    order: FeedOrder,
    per: FeedSpan,
    kind: Kind,
    /// Draws of all shards up to this shard's next one: shard k of G makes draws k, k + G, …
    next: u64,
    step: u64,
    key: u64,
    drawn: Drawn,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Rows(u64),
    Counter(i64),
    /// The lowest number, and how far the highest lies above it.
    Random(i64, u64),
}

struct Column {
    name: String,
    group: GroupId,
    values: Option<Arc<[Box<str>]>>,
}

impl Feeds {
    /// The feeds of this shard.
    ///
    /// Refuses a list without values, a counter in random order, and a `unique` feed with fewer
    /// values than there can be users.
    pub(super) fn compile(config: &EngineConfig, shard: Shard) -> Result<Self, Refusal> {
        let mut feeds = Self { groups: Vec::new(), columns: Vec::new() };
        for (n, feed) in config.feeds.iter().enumerate() {
            let name = feed.row_of.as_ref().unwrap_or(&feed.name);
            let known = feeds.groups.iter().position(|group| group.name == *name);
            let group = known.map_or(feeds.groups.len(), |group| group);
            if known.is_none() {
                let kind = match (&feed.values, feed.counter, feed.random) {
                    (Some(values), _, _) => Kind::Rows(values.len() as u64),
                    (_, Some(first), _) => Kind::Counter(first),
                    (_, _, Some((low, high))) => Kind::Random(low, high.abs_diff(low)),
                    _ => {
                        return Err(Refusal::config("a feed without a source", format!("feeds[{n}]")));
                    }
                };
                check(name, feed.order, kind, config, n)?;
                let letters = name.bytes().fold(config.seed, |key, byte| mix(key ^ u64::from(byte)));
                feeds.groups.push(Group {
                    name: name.clone(),
                    order: feed.order,
                    per: feed.per,
                    kind,
                    next: shard.index(),
                    step: shard.of(),
                    key: mix(letters),
                    drawn: Drawn::Number(0),
                });
            }
            feeds.columns.push(Column {
                name: feed.name.clone(),
                group: GroupId(group),
                values: feed.values.clone(),
            });
        }
        Ok(feeds)
    }

    /// The column that fills a hole of this name.
    pub(super) fn column(&self, name: &str) -> Option<ColumnId> {
        self.columns.iter().position(|column| column.name == name).map(ColumnId)
    }

    /// The names of all columns.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// Draw that a column needs.
    pub(super) fn group_of(&self, column: ColumnId) -> GroupId {
        self.columns[column.0].group
    }

    /// Whether a draw holds for a whole loop.
    pub(super) fn is_of_loop(&self, group: GroupId) -> bool {
        self.groups[group.0].per == FeedSpan::Loop
    }

    /// Draws for a request of this walk, unless what its loop has drawn holds; [`Feeds::put`] then gives
    /// the columns' values.
    pub(super) fn draw(&mut self, id: GroupId, user: &mut User, walk: &mut Walk) {
        let group = &mut self.groups[id.0];
        let held = walk.held.iter().find(|(other, _)| *other == id);
        if let Some((_, drawn)) = held.filter(|_| group.per == FeedSpan::Loop) {
            group.drawn = *drawn;
            return;
        }
        let position = match group.order {
            FeedOrder::Unique => user.index,
            FeedOrder::PerUser => mix(group.key ^ mix(user.index)),
            FeedOrder::SequentialPerUser => user.turn(id.0),
            FeedOrder::Arrival => walk.arrival,
            FeedOrder::Sequential | FeedOrder::Shuffled => {
                let position = group.next;
                group.next += group.step;
                position
            }
        };
        group.drawn = match (group.kind, group.order) {
            (Kind::Rows(n), FeedOrder::Shuffled) => {
                let round = mix(group.key ^ (position / n));
                Drawn::Row(as_row(Permutation::new(n, round).at(position % n)))
            }
            (Kind::Rows(n), FeedOrder::PerUser) => Drawn::Row(as_row(scaled(position, n - 1))),
            (Kind::Rows(n), _) => Drawn::Row(as_row(position % n)),
            (Kind::Counter(first), _) => Drawn::Number(first.wrapping_add_unsigned(position)),
            (Kind::Random(low, above), FeedOrder::Unique) => {
                let n = above.saturating_add(1).min(1 << 62);
                let number = Permutation::new(n, group.key).at(position % n);
                Drawn::Number(low.wrapping_add_unsigned(number))
            }
            (Kind::Random(low, above), FeedOrder::PerUser) => {
                Drawn::Number(low.wrapping_add_unsigned(scaled(position, above)))
            }
            (Kind::Random(low, above), FeedOrder::Arrival) => {
                let number = mix(group.key ^ mix(position));
                Drawn::Number(low.wrapping_add_unsigned(scaled(number, above)))
            }
            (Kind::Random(low, above), _) => {
                // All of 2^64 numbers are one more than `below` can be asked for.
                let number = if above == u64::MAX { user.feeds.bits() } else { user.feeds.below(above + 1) };
                Drawn::Number(low.wrapping_add_unsigned(number))
            }
        };
        if group.per == FeedSpan::Loop {
            walk.held.push((id, group.drawn));
        }
    }

    /// Appends the column's value of the last draw, through `encode` where it is a text; a number
    /// needs no encoding anywhere.
    pub(super) fn put(&self, column: ColumnId, out: &mut Vec<u8>, encode: impl FnOnce(&[u8], &mut Vec<u8>)) {
        let column = &self.columns[column.0];
        match (self.groups[column.group.0].drawn, &column.values) {
            (Drawn::Row(row), Some(values)) => encode(values[row].as_bytes(), out),
            (Drawn::Number(number), _) => {
                // Writing into a Vec cannot fail.
                let _ = write!(out, "{number}");
            }
            (Drawn::Row(_), None) => {}
        }
    }
}

/// A number from 0 to `highest` to which a number of 64 bits belongs, all equally likely.
fn scaled(number: u64, highest: u64) -> u64 {
    let scaled = (u128::from(number) * (u128::from(highest) + 1)) >> u64::BITS;
    u64::try_from(scaled).expect("a product of two numbers of 64 bits has 128")
}

/// A position below the length of a list that is in memory.
fn as_row(position: u64) -> usize {
    usize::try_from(position).expect("the list is in memory, so its length is a usize")
}

fn check(name: &str, order: FeedOrder, kind: Kind, config: &EngineConfig, n: usize) -> Result<(), Refusal> {
    let place = format!("feeds[{n}]");
    let values = match kind {
        Kind::Rows(0) => {
            return Err(Refusal::new(
                "engine.feed-empty",
                format!("the feed {name:?} has no values"),
                place,
                "put at least one value into its file or list",
            )
            .worded("feed_without_values", [("feed", format!("{name:?}"))]));
        }
        Kind::Counter(_) if matches!(order, FeedOrder::Shuffled | FeedOrder::PerUser) => {
            return Err(Refusal::new(
                "engine.feed-order",
                format!("the counter {name:?} has no end, so chance can draw nothing from it"),
                place,
                "leave out `order`, or use `random: [LOW, HIGH]`",
            )
            .worded("counter_shuffled", [("feed", format!("{name:?}"))]));
        }
        Kind::Counter(_) => return Ok(()),
        Kind::Rows(values) => values,
        Kind::Random(_, above) => above.saturating_add(1),
    };
    let users = users_at_most(&config.arrivals, config.level_most, config.stop.after_s);
    if order == FeedOrder::Unique && users > values {
        return Err(Refusal::new(
            "engine.feed-too-short",
            format!("the feed {name:?} has {values} values, but there are up to {users} users"),
            place,
            "give it more values, have fewer users, or leave out `order: unique`",
        )
        .worded(
            "feed_too_short",
            [("feed", format!("{name:?}")), ("values", values.to_string()), ("users", users.to_string())],
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Feeds;
    use crate::config::EngineConfig;
    use crate::config::tests::small;
    use crate::request::user::{User, Walk};
    use loadrig_core::schedule::Shard;
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use std::collections::BTreeMap;

    fn config(feeds: Value) -> EngineConfig {
        let mut config = small();
        config["feeds"] = feeds;
        EngineConfig::parse(&config.to_string()).expect("the config is right")
    }

    fn shard(feeds: &Value, shard: u32, shards: u32) -> Feeds {
        Feeds::compile(&config(feeds.clone()), Shard::new(shard, shards)).expect("the feeds are right")
    }

    fn draws(feeds: &mut Feeds, name: &str, user: u64, count: usize) -> Vec<String> {
        let column = feeds.column(name).expect("the feed is there");
        let mut user = User::new(7, user, 0);
        (0..count)
            .map(|_| {
                feeds.draw(feeds.group_of(column), &mut user, &mut Walk::default());
                value(feeds, name)
            })
            .collect()
    }

    fn value(feeds: &Feeds, name: &str) -> String {
        let column = feeds.column(name).expect("the feed is there");
        let mut out = Vec::new();
        feeds.put(column, &mut out, |value, out| out.extend_from_slice(value));
        String::from_utf8(out).expect("values are texts")
    }

    fn refused(feeds: Value) -> &'static str {
        Feeds::compile(&config(feeds), Shard::whole()).err().expect("the feeds are wrong").code
    }

    #[test]
    fn a_sequential_feed_goes_round() {
        let mut feeds =
            shard(&json!([{"name": "w", "order": "sequential", "values": ["a", "b", "c"]}]), 0, 1);
        assert_eq!(draws(&mut feeds, "w", 0, 5), ["a", "b", "c", "a", "b"]);
    }

    #[test]
    fn a_counter_counts_for_all_users_together() {
        let mut feeds = shard(&json!([{"name": "n", "order": "sequential", "counter": -1}]), 0, 1);
        assert_eq!(draws(&mut feeds, "n", 0, 2), ["-1", "0"]);
        assert_eq!(draws(&mut feeds, "n", 5, 2), ["1", "2"]);
    }

    #[test]
    fn a_user_keeps_its_unique_value() {
        for feed in [
            json!({"name": "x", "order": "unique", "values": ["a", "b", "c", "d"]}),
            json!({"name": "x", "order": "unique", "counter": 100}),
            json!({"name": "x", "order": "unique", "random": [1, 4]}),
        ] {
            let feeds = json!([feed]);
            let mut all = Vec::new();
            for user in 0..4 {
                let here = draws(&mut shard(&feeds, 0, 2), "x", user, 3);
                assert!(here.iter().all(|value| *value == here[0]), "{here:?}");
                assert_eq!(here, draws(&mut shard(&feeds, 1, 2), "x", user, 3));
                all.push(here[0].clone());
            }
            all.sort();
            all.dedup();
            assert_eq!(all.len(), 4, "{feed}: no two users share a value");
        }
    }

    #[test]
    fn a_value_per_user_is_kept_drawn_evenly_and_shared_by_some() {
        for (feed, values) in [
            (json!({"name": "x", "order": "per_user", "values": ["a", "b", "c"]}), 3),
            (json!({"name": "x", "order": "per_user", "random": [-2, 3]}), 6),
            (json!({"name": "x", "order": "per_user", "values": ["a"]}), 1),
        ] {
            let feeds = json!([feed]);
            let (mut first, mut second) = (shard(&feeds, 0, 2), shard(&feeds, 1, 2));
            let drawn = (0..6_000).map(|user| {
                let here = draws(&mut first, "x", user, 2);
                assert_eq!(here[0], here[1]);
                assert_eq!(here, draws(&mut second, "x", user, 2), "in whichever shard");
                here[0].clone()
            });
            let counts = counted(drawn);
            assert_eq!(counts.len(), values, "{feed}");
            // 6,000 draws of a sixth have a standard deviation of 29, of a third of 37.
            let fair = 6_000 / values;
            assert!(counts.values().all(|count| count.abs_diff(fair) < 200), "{counts:?}");
        }
    }

    #[test]
    fn each_user_begins_a_feed_of_its_own_sequence_at_its_first_value() {
        for (source, expected) in [
            (json!({"values": ["a", "b", "c"]}), ["a", "b", "c", "a"]),
            (json!({"counter": 7}), ["7", "8", "9", "10"]),
        ] {
            let mut feed = json!({"name": "w", "order": "sequential_per_user"});
            feed.as_object_mut().expect("a feed").extend(source.as_object().expect("a source").clone());
            let feeds = json!([{"name": "other", "order": "sequential", "values": ["x"]}, feed]);
            let mut feeds = shard(&feeds, 1, 2);
            assert_eq!(draws(&mut feeds, "w", 0, 4), expected);
            assert_eq!(draws(&mut feeds, "w", 5, 4), expected);
        }
    }

    #[test]
    fn two_feeds_per_user_are_drawn_apart() {
        let feeds = json!([
            {"name": "x", "order": "per_user", "random": [0, 1]},
            {"name": "y", "order": "per_user", "random": [0, 1]}
        ]);
        let mut feeds = shard(&feeds, 0, 1);
        let pairs = (0..4_000)
            .map(|user| draws(&mut feeds, "x", user, 1).remove(0) + &draws(&mut feeds, "y", user, 1)[0]);
        let counts = counted(pairs);
        assert!(counts.len() == 4 && counts.values().all(|count| count.abs_diff(1_000) < 200), "{counts:?}");
    }

    #[test]
    fn every_number_there_is_may_be_a_users() {
        let feeds = json!([{"name": "x", "order": "per_user", "random": [i64::MIN, i64::MAX]}]);
        let mut feeds = shard(&feeds, 0, 1);
        assert_eq!(draws(&mut feeds, "x", 7, 2)[0], draws(&mut feeds, "x", 7, 1)[0]);
    }

    #[test]
    fn columns_of_one_table_come_from_the_same_row() {
        let feeds = json!([
            {"name": "item.id", "row_of": "item", "order": "shuffled", "values": ["1", "2", "3"]},
            {"name": "item.word", "row_of": "item", "order": "shuffled", "values": ["one", "two", "three"]}
        ]);
        let mut feeds = shard(&feeds, 0, 1);
        for _ in 0..20 {
            draws(&mut feeds, "item.id", 0, 1);
            let row = (value(&feeds, "item.id"), value(&feeds, "item.word"));
            let rows = [("1", "one"), ("2", "two"), ("3", "three")];
            assert!(rows.contains(&(row.0.as_str(), row.1.as_str())), "{row:?}");
        }
    }

    #[test]
    fn wrong_feeds_are_refused() {
        assert_eq!(refused(json!([{"name": "w", "order": "shuffled", "values": []}])), "engine.feed-empty");
        assert_eq!(refused(json!([{"name": "w", "order": "shuffled", "counter": 1}])), "engine.feed-order");
        assert_eq!(refused(json!([{"name": "w", "order": "per_user", "counter": 1}])), "engine.feed-order");
        // The small config has four users.
        let short = json!([{"name": "w", "order": "unique", "values": ["a", "b", "c"]}]);
        assert_eq!(refused(short), "engine.feed-too-short");
        assert_eq!(
            refused(json!([{"name": "w", "order": "unique", "random": [1, 3]}])),
            "engine.feed-too-short"
        );
    }

    fn counted(values: impl IntoIterator<Item = String>) -> BTreeMap<String, usize> {
        values.into_iter().fold(BTreeMap::new(), |mut counts, value| {
            *counts.entry(value).or_default() += 1;
            counts
        })
    }

    proptest! {
        #[test]
        fn shards_together_draw_what_one_would_draw(
            n in 1usize..20, shards in 1u32..5, rounds in 1usize..4, order in 0usize..2
        ) {
            let order = ["sequential", "shuffled"][order];
            let values: Vec<String> = (0..n).map(|value| value.to_string()).collect();
            let feed = json!([{"name": "w", "order": order, "values": values}]);
            // So many draws that every shard makes the same number of them.
            let each = n * rounds;
            let together = (0..shards)
                .flat_map(|k| draws(&mut shard(&feed, k, shards), "w", 0, each));
            let alone = draws(&mut shard(&feed, 0, 1), "w", 0, each * shards as usize);
            prop_assert_eq!(counted(together), counted(alone));
        }

        #[test]
        fn a_shuffled_feed_gives_each_value_once_a_round(n in 1usize..50) {
            let values: Vec<String> = (0..n).map(|value| value.to_string()).collect();
            let feed = json!([{"name": "w", "order": "shuffled", "values": values}]);
            let mut feeds = shard(&feed, 0, 1);
            for _ in 0..3 {
                let round = counted(draws(&mut feeds, "w", 0, n));
                prop_assert!(round.len() == n, "a value came twice");
            }
        }

        #[test]
        fn counters_of_all_shards_never_give_a_number_twice(shards in 1u32..5, each in 1usize..50) {
            let feed = json!([{"name": "n", "order": "sequential", "counter": 10}]);
            let all = counted((0..shards).flat_map(|k| draws(&mut shard(&feed, k, shards), "n", 0, each)));
            prop_assert!(all.values().all(|times| *times == 1));
        }

        #[test]
        fn random_numbers_stay_between_their_bounds(low: i64, high: i64) {
            let (low, high) = (low.min(high), low.max(high));
            let feed = json!([{"name": "n", "order": "sequential", "random": [low, high]}]);
            for number in draws(&mut shard(&feed, 0, 1), "n", 0, 20) {
                let number: i64 = number.parse().map_err(|_| TestCaseError::fail("no number"))?;
                prop_assert!((low..=high).contains(&number));
            }
        }
    }
}
