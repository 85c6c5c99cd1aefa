//! Arrivals whose scenarios the load itself says.

use super::*;
use crate::request::RouteId;
use loadrig_core::schedule::{Listed, Part};

/// What each arrival of a replay asks for, by its number, with every generator's threads as the shards.
fn sent(config: &EngineConfig, threads: u32, of: u32) -> Vec<(u64, String, String)> {
    let crate::config::Arrivals::Replay { times_s, .. } = &config.arrivals else { panic!("no replay") };
    let shards = (0..of).flat_map(|index| {
        (0..threads).map(move |thread| Shard::in_part(Part { index, of }, thread, threads))
    });
    let mut sent = Vec::new();
    for shard in shards {
        let mut book = Book::compile(config, shard).expect("the book compiles");
        let mut user = book.new_user(0);
        for arrival in Listed::new(times_s.as_slice().into(), shard) {
            let mut walk = book.begin(&mut user, arrival.n);
            let next = book.next(&mut user, &mut walk, 0);
            let Next::Request(route) = next else { panic!("{next:?}") };
            let mut bytes = Vec::new();
            book.compose(&mut user, &mut walk, route, &mut bytes);
            let text = String::from_utf8(bytes).expect("these requests are texts");
            let target = text.split(' ').nth(1).unwrap_or_default().to_owned();
            sent.push((arrival.n, book.routes()[route.index()].name.clone(), target));
        }
    }
    sent.sort();
    sent
}

proptest! {
    #[test]
    fn the_scenario_and_the_value_of_an_arrival_are_those_of_the_list_whatever_the_shards(
        scenarios in prop::collection::vec(0_u32..4, 0..60), threads in 1_u32..4, of in 1_u32..6, seed: u64,
    ) {
        let mut config = small();
        config["seed"] = json!(seed);
        config["routes"] = (0..4).map(|n| route(&format!("r{n}"), "GET", "/{target}")).collect();
        config["scenarios"] =
            (0..4).map(|n| json!({"name": format!("r{n}"), "weight": 1.0, "steps": [n]})).collect();
        let values: Vec<String> = (0..scenarios.len().max(1)).map(|n| format!("v{n}")).collect();
        config["feeds"] = json!([{"name": "target", "order": "arrival", "values": values}]);
        let times: Vec<f64> = (0..scenarios.len()).map(|_| 0.0).collect();
        config["arrivals"] = json!({"replay": {"times_s": times, "scenarios": scenarios}});
        let config = EngineConfig::parse(&config.to_string()).expect("the config is right");
        let asked: Vec<_> = (0..)
            .zip(&scenarios)
            .map(|(n, scenario): (u64, _)| (n, format!("r{scenario}"), format!("/v{n}")))
            .collect();
        prop_assert_eq!(sent(&config, threads, of), asked);
    }
}

#[test]
fn a_walk_beside_another_has_the_value_of_its_arrival() {
    let mut scene = scene_with(&[route("a", "GET", "/{w}"), route("b", "GET", "/{w}")], |config| {
        config["feeds"] = json!([{"name": "w", "order": "arrival", "values": ["x", "y", "z"]}]);
        config["scenarios"][0]["beside"] = json!([1]);
    });
    scene.walk = scene.book.begin(&mut scene.user, 2);
    assert!(scene.sent().1.starts_with("GET /z "));
    let mut other = scene.book.beside(&mut scene.user, &mut scene.walk).expect("a step beside");
    let mut bytes = Vec::new();
    scene.book.compose(&mut scene.user, &mut other, RouteId::of(1), &mut bytes);
    assert!(bytes.starts_with(b"GET /z "), "{}", String::from_utf8_lossy(&bytes));
}

#[test]
fn a_number_of_an_arrival_is_drawn_once_for_all_shards() {
    let number = |shard: Shard| {
        let mut config = small();
        config["routes"] = json!([route("a", "GET", "/{n}")]);
        config["feeds"] = json!([{"name": "n", "order": "arrival", "random": [0, 1_000_000]}]);
        let config = EngineConfig::parse(&config.to_string()).expect("the config is right");
        let mut book = Book::compile(&config, shard).expect("the book compiles");
        let mut user = book.new_user(shard.index());
        let mut walk = book.begin(&mut user, 7);
        let mut bytes = Vec::new();
        book.compose(&mut user, &mut walk, RouteId::of(0), &mut bytes);
        bytes
    };
    assert_eq!(number(Shard::new(0, 2)), number(Shard::new(1, 2)));
}
