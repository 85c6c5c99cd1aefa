//! Heads that are wrong, late, long or endless.

use std::time::Duration;

use crate::storm::Case;

#[test]
fn answers_that_come_byte_by_byte_are_answers() {
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n02\r\nlo\r\n0\r\nA: b\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
    ] {
        Case::new(answer, "ok", "", move |line| {
            for byte in answer.as_bytes() {
                if !line.say(&[*byte]) {
                    return;
                }
                std::thread::sleep(Duration::from_micros(50));
            }
        })
        .and_goes_on()
        .strikes();
    }
}

#[test]
fn interim_answers_are_skipped_however_many_there_are() {
    let interim = "HTTP/1.1 100 Continue\r\n\r\n".repeat(50);
    let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n".repeat(20);
    Case::answers(format!("{interim}{hints}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), "ok", "")
        .strikes();
}

#[test]
fn an_interim_answer_alone_is_none() {
    const INTERIM: &str = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n";
    Case::says_and_closes(INTERIM, "closed", "middle of the answer").strikes();
    Case::says(INTERIM, "timeout", "no whole answer").strikes();
}

#[test]
fn switching_protocols_unasked_is_no_good_answer() {
    let answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n";
    Case::says(answer, "check_failed", "status 101").strikes();
}

#[test]
fn what_does_not_begin_like_http_is_not_http() {
    for answer in [
        "220 mail.example ESMTP\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "\u{15}\u{3}\u{1}\0\u{2}\u{2}F",
        "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.2 200 OK\r\n\r\n",
        "http/1.1 200 OK\r\n\r\n",
        "<html>no head at all</html>",
        "\0\0\u{6}\u{4}\0\0\0\0\0",
    ] {
        Case::says(answer, "not_http", "does not start with HTTP/1.0 or HTTP/1.1").strikes();
    }
}

#[test]
fn a_status_that_is_none_is_not_http() {
    for answer in [
        "HTTP/1.1 abc Oh\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 -20 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
    ] {
        Case::says(answer, "not_http", "not a number from 100 to 999").strikes();
    }
}

#[test]
fn a_field_that_is_none_is_not_http() {
    for answer in [
        "HTTP/1.1 200 OK\r\nno colon in it\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: no name\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA : space before the colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\r\n folded: line\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: nothing\0ness\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA\u{e4}: name beyond ASCII\r\n\r\n",
    ] {
        Case::says(answer, "not_http", "malformed").strikes();
    }
}

#[test]
fn a_head_of_ten_megabytes_is_refused_early() {
    let long = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "y".repeat(10 << 20));
    Case::says(long, "not_http", "longer than 256 KiB").strikes();
    let reason = format!("HTTP/1.1 200 {}\r\n\r\n", "y".repeat(10 << 20));
    Case::says(reason, "not_http", "longer than 256 KiB").strikes();
}

#[test]
fn endless_fields_are_refused() {
    Case::new("endless short fields", "not_http", "more than 128 fields", |line| {
        let mut goes_on = line.say(b"HTTP/1.1 200 OK\r\n");
        while goes_on {
            goes_on = line.say(b"X-Field: y\r\n");
        }
    })
    .strikes();
    Case::new("an endless field", "not_http", "longer than 256 KiB", |line| {
        let mut goes_on = line.say(b"HTTP/1.1 200 OK\r\nX: ");
        while goes_on {
            goes_on = line.say(&[b'y'; 1000]);
        }
    })
    .strikes();
    Case::new("an endless name of a field", "not_http", "longer than 256 KiB", |line| {
        let mut goes_on = line.say(b"HTTP/1.1 200 OK\r\n");
        while goes_on {
            goes_on = line.say(&[b'y'; 1000]);
        }
    })
    .strikes();
}

#[test]
fn endless_interim_answers_are_refused() {
    Case::new("endless 1xx", "not_http", "longer than 256 KiB", |line| {
        let interim = "HTTP/1.1 100 Continue\r\n\r\n".repeat(40);
        while line.say(interim.as_bytes()) {}
    })
    .strikes();
}

#[test]
fn endless_empty_lines_before_the_head_are_refused() {
    Case::new("endless empty lines", "not_http", "longer than 256 KiB", |line| {
        while line.say("\r\n".repeat(400).as_bytes()) {}
    })
    .strikes();
}

#[test]
fn a_head_that_never_ends_is_a_timeout() {
    for answer in ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", "H", "HTTP/1.1 200 OK\r\nContent-Le"] {
        Case::says(answer, "timeout", "no whole answer").strikes();
    }
    Case::new("a head that drips", "timeout", "no whole answer", |line| {
        let mut goes_on = line.say(b"HTTP/1.1 200 OK\r\nX: ");
        while goes_on {
            std::thread::sleep(Duration::from_millis(5));
            goes_on = line.say(b"y");
        }
    })
    .strikes();
}

#[test]
fn lengths_that_are_none_or_two_are_not_http() {
    for length in ["1, 2", "-1", "+2", "0x2", "2 2", "two", "18446744073709551616", "2.0", "2;"] {
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\nok");
        Case::says(answer, "not_http", "Content-Length is not one number").strikes();
    }
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok";
    Case::says(answer, "not_http", "Content-Length is not one number").strikes();
}
