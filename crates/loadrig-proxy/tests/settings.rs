//! Effects of the settings, with real sockets. No time is asserted but those that a setting promises.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

mod parent;

use std::io::{ErrorKind, Read as _, Write as _};
use std::time::{Duration, Instant};

use loadrig_proxy::{HELD_MOST, RETRANSMIT_NS};
use serde_json::json;

use parent::{PATIENCE, Proxy, ask, dependency, echo};

const DELAY: Duration = Duration::from_millis(5);

#[test]
fn each_sequential_round_trip_takes_the_delay_and_is_counted() {
    let mut proxy = Proxy::before(echo());
    let mut client = proxy.client();
    ask(&mut client, b"before");
    let told = proxy.set(&json!({"delay_s": DELAY.as_secs_f64()}));
    assert_eq!((&told["delay_s"], &told["connections"]), (&json!(0.005), &json!(null)));
    let began = Instant::now();
    for _ in 0..10 {
        assert!(ask(&mut client, b"hello") >= DELAY);
    }
    assert!(began.elapsed() >= 10 * DELAY);
    assert_eq!(proxy.count("round_trips"), 11);
    assert_eq!(proxy.count("delayed"), 10, "what passed before was not held");
    assert!(u128::from(proxy.count("delayed_ns")) >= 10 * DELAY.as_nanos());
    assert_eq!((proxy.count("bytes_to"), proxy.count("bytes_from")), (56, 56));
    proxy.set(&json!({}));
    for _ in 0..10 {
        ask(&mut client, b"after");
    }
    assert_eq!((proxy.count("delayed"), proxy.count("round_trips")), (10, 21));
}

#[test]
fn a_question_in_two_pieces_is_one_round_trip() {
    // The answer comes when eight bytes have.
    let eight = dependency(|mut stream| {
        let mut question = [0; 8];
        while stream.read_exact(&mut question).is_ok() && stream.write_all(b"yes").is_ok() {}
    });
    let mut proxy = Proxy::before(eight);
    proxy.set(&json!({"delay_s": 0.02}));
    let mut client = proxy.client();
    for n in 1..=3 {
        client.write_all(b"four").unwrap();
        proxy.await_count("chunks_to", 2 * n - 1);
        client.write_all(b"more").unwrap();
        client.read_exact(&mut [0; 3]).unwrap();
        assert_eq!(proxy.count("round_trips"), n);
    }
    assert_eq!(proxy.count("chunks_to"), 6);
}

#[test]
fn bytes_keep_their_order_while_the_delay_changes() {
    let mut proxy = Proxy::before(echo());
    let client = proxy.client();
    let mut uplink = client.try_clone().unwrap();
    let sent: Vec<u8> = (0..400_000_u32).flat_map(u32::to_le_bytes).collect();
    let expected = sent.clone();
    let writer = std::thread::spawn(move || {
        for piece in sent.chunks(7001) {
            uplink.write_all(piece).unwrap();
        }
    });
    let reader = std::thread::spawn(move || {
        let mut got = vec![0; expected.len()];
        (&client).read_exact(&mut got).unwrap();
        got == expected
    });
    let mut delays = [0.01, 0.0, 0.003, 0.0].iter().cycle();
    while !reader.is_finished() {
        proxy.set(&json!({"delay_s": delays.next().unwrap(), "loss": 0.01}));
    }
    writer.join().unwrap();
    assert!(reader.join().unwrap(), "all bytes came back in their order");
}

#[test]
fn what_is_lost_waits_for_the_time_out_of_a_retransmission() {
    let mut proxy = Proxy::before(echo());
    proxy.set(&json!({"loss": 1.0}));
    let mut client = proxy.client();
    // Lost on the way there, and on the way back.
    assert!(ask(&mut client, b"hello") >= 2 * Duration::from_nanos(RETRANSMIT_NS));
    assert_eq!((proxy.count("lost"), proxy.count("delayed")), (2, 0));
    proxy.set(&json!({"loss": 0.2}));
    for _ in 0..20 {
        ask(&mut client, b"hello");
    }
    let lost = proxy.count("lost");
    assert!((3..30).contains(&lost), "{lost} of 42 chunks, 2 for certain");
}

#[test]
fn no_more_bytes_pass_than_the_line_carries() {
    let mut proxy = Proxy::before(echo());
    proxy.set(&json!({"bytes_per_s": 1e6}));
    let mut client = proxy.client();
    // 200 kB less what an idle line makes up for, 5 ms.
    assert!(ask(&mut client, &vec![7; 200_000]) >= Duration::from_millis(195));
}

#[test]
fn what_waits_for_a_narrow_line_goes_when_the_line_is_wide_again() {
    let mut proxy = Proxy::before(echo());
    proxy.set(&json!({"bytes_per_s": 100.0}));
    let mut client = proxy.client();
    client.write_all(&vec![7; 500_000]).unwrap();
    proxy.await_count("bytes_to", 500_000);
    // It would take more than an hour.
    proxy.set(&json!({}));
    client.read_exact(&mut vec![0; 500_000]).unwrap();
}

#[test]
fn connections_beyond_the_limit_wait_until_one_is_closed() {
    let mut proxy = Proxy::before(echo());
    proxy.set(&json!({"connections": 2}));
    let mut first = proxy.client();
    let mut second = proxy.client();
    ask(&mut first, b"first");
    ask(&mut second, b"second");
    let mut third = proxy.client();
    third.write_all(b"third").unwrap();
    third.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let nothing = third.read(&mut [0; 5]).unwrap_err();
    assert!(matches!(nothing.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{nothing}");
    assert_eq!((proxy.count("accepted"), proxy.count("open")), (2, 2));
    drop(first);
    third.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut answer = [0; 5];
    third.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"third");
    ask(&mut second, b"second");
    assert_eq!((proxy.count("accepted"), proxy.count("open")), (3, 2));
    let mut fourth = proxy.client();
    proxy.set(&json!({}));
    ask(&mut fourth, b"fourth");
}

#[test]
fn a_sender_is_held_up_when_much_is_held() {
    let mut proxy = Proxy::before(echo());
    proxy.set(&json!({"delay_s": 60.0}));
    let mut client = proxy.client();
    client.set_nonblocking(true).unwrap();
    let began = Instant::now();
    let (mut sent, mut last_sent) = (0_u64, Instant::now());
    // Until much is held, and nothing more is taken for a while.
    while last_sent.elapsed() < Duration::from_millis(300) || proxy.count("bytes_to") < HELD_MOST as u64 {
        match client.write(&vec![7; 65536]) {
            Ok(count) => (sent, last_sent) = (sent + count as u64, Instant::now()),
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
        assert!(began.elapsed() < PATIENCE, "it takes without end: {sent} bytes");
    }
    let held = proxy.count("bytes_to");
    assert!(held < HELD_MOST as u64 + 65536, "{held} of {sent} bytes are held");
    assert!(sent > held, "the rest is in the buffers of the system");
}

#[test]
fn settings_that_make_no_sense_are_refused_and_those_of_before_hold() {
    let mut proxy = Proxy::before(echo());
    proxy.set(&json!({"delay_s": DELAY.as_secs_f64()}));
    for (line, why) in [
        (r#"{"set": {"delay_s": -1}}"#, "delay_s"),
        (r#"{"set": {"dealy_s": 1}}"#, "dealy_s"),
        (r#"{"ask": "weather"}"#, "weather"),
        ("nonsense", "line 1"),
    ] {
        proxy.say(line);
        let answer = proxy.hear();
        let what = answer["refused"]["what"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(what.contains(why), "{what}");
    }
    assert!(ask(&mut proxy.client(), b"hello") >= DELAY);
}
