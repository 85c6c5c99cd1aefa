//! Threads: of a /proc that was written down, and of real programs.
#![allow(clippy::unwrap_used)] // in a test it says where it went wrong

use loadrig_probes::threads::{Burst, Census, Gap, Names, Pace, Root, Sampler, State, Stop};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

const PID: i32 = 40;

/// A folder of files as /proc has them.
struct Proc(PathBuf);

impl Proc {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("loadrig-threads-{}-{number}", std::process::id()));
        fs::create_dir_all(path.join(format!("{PID}/fd"))).unwrap();
        fs::write(path.join(format!("{PID}/stat")), stat(PID, "served", 'S', 500)).unwrap();
        Self(path)
    }

    fn thread(&self, tid: i32, name: &str, letter: char, start: u64, files: &[(&str, &str)]) {
        let folder = self.0.join(format!("{PID}/task/{tid}"));
        // Made anew, so that it is another folder: as that of another thread with the number.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("stat"), stat(tid, name, letter, start)).unwrap();
        for (file, text) in files {
            fs::write(folder.join(file), text).unwrap();
        }
    }

    fn descriptor(&self, number: i32, leads_to: &str) {
        symlink(leads_to, self.0.join(format!("{PID}/fd/{number}"))).unwrap();
    }

    fn root(&self) -> Root {
        Root::new(PID, Some(500), None, self.0.clone())
    }

    fn burst(&self) -> Burst {
        let mut sampler = Sampler::open(self.root(), Names::shared(8), 8, 100).unwrap();
        sampler.burst(PACE, &Stop::default()).unwrap()
    }

    fn census(&self) -> Census {
        Census::open(self.root(), Names::shared(8), 100, 10).unwrap()
    }
}

impl Drop for Proc {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const PACE: Pace = Pace { looks_per_s: 400.0, length: Duration::from_millis(150), cpu_s: 1.0, seed: 7 };

fn stat(number: i32, name: &str, letter: char, start: u64) -> String {
    format!(
        "{number} ({name}) {letter} 1 40 40 0 -1 4194304 9 0 7 0 0 0 0 0 20 0 5 0 {start} 4096 42 184467\n"
    )
}

fn call(number: i64, first: u64, second: u64) -> String {
    format!("{number} {first:#x} {second:#x} 0x0 0x0 0x0 0x0 0x7ffd08 0x7f5c9e\n")
}

fn mean(burst: &Burst, state: State) -> f64 {
    burst.states.iter().find(|(one, _)| *one == state).map(|(_, mean)| *mean).unwrap()
}

fn peer(burst: &Burst, state: State, name: &str) -> f64 {
    burst.peers.get(&(state, name.to_owned())).copied().unwrap_or(0.0)
}

fn is_near(one: f64, two: f64) -> bool {
    (one - two).abs() < 1e-6
}

#[test]
fn what_each_thread_waits_for_is_told_with_what_its_descriptor_leads_to() {
    let proc = Proc::new();
    let still =
        |call: &str| [("syscall".to_owned(), call.to_owned()), ("schedstat".into(), "5 6 7\n".into())];
    let waits = [
        (40, call(libc::SYS_futex, 0x7000, 0)),
        (41, call(libc::SYS_futex, 0x7000, 0)),
        (42, call(libc::SYS_recvfrom, 7, 0)),
        (43, call(libc::SYS_read, 8, 0)),
        (44, call(libc::SYS_write, 9, 0)),
        (45, call(libc::SYS_pread64, 10, 0)),
        (46, call(libc::SYS_fsync, 10, 0)),
        (47, call(libc::SYS_epoll_pwait, 11, 0)),
        (48, call(libc::SYS_clock_nanosleep, 0, 0)),
        (49, call(libc::SYS_accept4, 7, 0)),
        (50, call(libc::SYS_read, 12, 0)),
        (51, "running\n".to_owned()),
    ];
    for (tid, call) in &waits {
        let files = still(call);
        let files: Vec<_> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
        proc.thread(*tid, &format!("pool-{tid}"), 'S', 600, &files);
    }
    let file = proc.0.join("a file");
    fs::write(&file, "").unwrap();
    for (number, leads_to) in
        [(7, "socket:[12345]"), (8, "pipe:[9]"), (9, "pipe:[9]"), (12, "anon_inode:[eventfd]")]
    {
        proc.descriptor(number, leads_to);
    }
    proc.descriptor(10, file.to_str().unwrap());
    let burst = proc.burst();
    assert!(burst.looks > 5, "{}", burst.looks);
    let expected = [
        (State::Futex, 2.0),
        (State::Reading, 3.0),
        (State::Writing, 1.0),
        (State::Disk, 2.0),
        (State::Polling, 1.0),
        (State::Sleeping, 1.0),
        (State::Accepting, 1.0),
        // Its times have not grown: it wants a core and gets none.
        (State::Runnable, 1.0),
        (State::Running, 0.0),
        (State::Unseen, 0.0),
    ];
    for (state, threads) in expected {
        assert!(is_near(mean(&burst, state), threads), "{state:?} {}", mean(&burst, state));
    }
    assert!(is_near(peer(&burst, State::Reading, "socket"), 1.0));
    assert!(is_near(peer(&burst, State::Reading, "pipe"), 1.0));
    assert!(is_near(peer(&burst, State::Reading, "eventfd"), 1.0));
    assert!(is_near(peer(&burst, State::Writing, "pipe"), 1.0));
    assert!(is_near(peer(&burst, State::Disk, "file"), 1.0));
    let groups: f64 = burst.groups.values().sum();
    assert!(is_near(groups, 12.0));
    assert!(burst.groups.keys().all(|(_, group)| group == "pool-#"));
}

#[test]
fn where_calls_may_not_be_seen_the_place_in_the_kernel_tells_and_else_nothing() {
    let proc = Proc::new();
    let counted = ("schedstat", "5 6 7\n");
    proc.thread(40, "main", 'S', 500, &[("wchan", "futex_do_wait"), counted]);
    proc.thread(41, "a) (b", 'S', 600, &[("wchan", "ep_poll"), counted]);
    proc.thread(42, "a) (b", 'S', 600, &[("wchan", "0"), counted]);
    proc.thread(43, "a) (b", 'D', 600, &[counted]);
    proc.thread(44, "a) (b", 'T', 600, &[counted]);
    proc.thread(45, "a) (b", 'R', 600, &[counted]);
    let burst = proc.burst();
    for state in [State::Futex, State::Polling, State::Unseen, State::Disk, State::Stopped, State::Runnable] {
        assert!(is_near(mean(&burst, state), 1.0), "{state:?}");
    }
    assert!(burst.gaps.contains(&Gap::Calls(PID)));
    assert!(is_near(burst.groups[&(State::Stopped, "a) (b".to_owned())], 1.0));
}

#[test]
fn damaged_files_leave_a_thread_out_and_the_others_in() {
    let proc = Proc::new();
    let counted = ("schedstat", "5 6 7\n");
    let poll = call(libc::SYS_epoll_pwait, 11, 0);
    proc.thread(40, "main", 'S', 500, &[("syscall", &poll), counted]);
    proc.thread(41, "cut", 'S', 600, &[("syscall", ""), counted]);
    proc.thread(42, "short", 'S', 600, &[("syscall", "0 0x5"), ("schedstat", "12")]);
    fs::write(proc.0.join(format!("{PID}/task/42/stat")), "42 (short) S 1 2").unwrap();
    fs::create_dir_all(proc.0.join(format!("{PID}/task/43"))).unwrap();
    let burst = proc.burst();
    assert!(is_near(burst.states.iter().map(|(_, mean)| mean).sum(), 1.0));
    let counts = proc.census().read(1).unwrap();
    assert_eq!(counts.groups.values().map(|counts| counts.threads).sum::<u64>(), 2);
}

#[test]
fn a_thread_counts_from_its_birth_and_one_that_was_there_from_the_first_look() {
    let proc = Proc::new();
    proc.thread(40, "main", 'S', 500, &[("schedstat", "1000 100 7\n")]);
    let mut census = proc.census();
    census.read(0).unwrap();
    fs::write(proc.0.join(format!("{PID}/task/40/schedstat")), "1500 130 8\n").unwrap();
    proc.thread(41, "born", 'S', 900, &[("schedstat", "70 7 1\n")]);
    let counts = census.read(1000).unwrap();
    let of = |name: &str| (counts.groups[name].ran_ns, counts.groups[name].delay_ns);
    assert_eq!((of("main"), of("born")), ((500, 30), (70, 7)));
    assert!(is_near(counts.most_share, 0.5));
    assert_eq!(counts.busiest.iter().map(|one| (one.tid, one.times.ran_ns)).collect::<Vec<_>>(), [(40, 500)]);
}

#[test]
fn another_thread_with_the_number_of_one_that_has_ended_is_not_taken_for_it() {
    let proc = Proc::new();
    proc.thread(40, "main", 'S', 500, &[("schedstat", "1000 100 7\n")]);
    proc.thread(41, "old", 'S', 600, &[("schedstat", "9000 900 7\n")]);
    let mut census = proc.census();
    census.read(0).unwrap();
    proc.thread(41, "new", 'S', 950, &[("schedstat", "9500 950 7\n")]);
    let counts = census.read(1000).unwrap();
    assert_eq!(counts.groups["new"].ran_ns, 9500);
    assert_eq!((counts.groups["old"].threads, counts.groups["old"].ran_ns), (0, 0));
    assert_eq!(counts.groups["main"].ran_ns, 0);
}

#[test]
fn a_program_that_has_ended_or_is_another_one_is_no_program() {
    let proc = Proc::new();
    proc.thread(40, "main", 'S', 500, &[("schedstat", "1 1 1\n")]);
    let another = Root::new(PID, Some(501), None, proc.0.clone());
    let mut census = Census::open(another, Names::shared(8), 100, 10).unwrap();
    assert_eq!(census.read(0).unwrap_err().raw_os_error(), Some(libc::ESRCH));
    fs::remove_dir_all(proc.0.join(PID.to_string())).unwrap();
    let mut sampler = Sampler::open(proc.root(), Names::shared(8), 8, 100).unwrap();
    assert_eq!(sampler.burst(PACE, &Stop::default()).unwrap_err().raw_os_error(), Some(libc::ESRCH));
}

#[test]
fn threads_beyond_the_most_are_left_out_and_counted() {
    let proc = Proc::new();
    for tid in 40..50 {
        proc.thread(tid, "main", 'S', 500, &[("schedstat", "1 1 1\n")]);
    }
    let mut census = Census::open(proc.root(), Names::shared(8), 6, 10).unwrap();
    let counts = census.read(0).unwrap();
    assert_eq!((counts.groups["main"].threads, counts.left_out), (6, 4));
}

/// A child that is ended whatever happens.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn real(child: &Ended) -> Root {
    let pid = i32::try_from(child.0.id()).unwrap();
    Root::new(pid, None, None, Path::new("/proc").to_path_buf())
}

#[test]
fn processes_that_come_and_go_in_milliseconds_leave_the_sums_right() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "while :; do true | true; done"]);
    let child = Ended(shell.spawn().unwrap());
    let mut sampler = Sampler::open(real(&child), Names::shared(8), 8, 100).unwrap();
    let burst = sampler.burst(Pace { length: Duration::from_millis(400), ..PACE }, &Stop::default()).unwrap();
    let all: f64 = burst.states.iter().map(|(_, mean)| mean).sum();
    assert!(is_near(burst.groups.values().sum(), all));
    assert!(all >= 0.9, "{all}");
    assert!(burst.states.iter().all(|(_, mean)| mean.is_finite() && *mean >= 0.0));
}

#[test]
fn a_burst_that_is_stopped_ends_at_once_and_says_what_it_has_seen() {
    let mut sleeper = Command::new("sleep");
    let child = Ended(sleeper.arg("60").spawn().unwrap());
    let mut sampler = Sampler::open(real(&child), Names::shared(8), 8, 100).unwrap();
    let stop = Stop::default();
    let pace = Pace { length: Duration::from_secs(50), ..PACE };
    let burst = thread::scope(|scope| {
        let looking = scope.spawn(|| sampler.burst(pace, &stop).unwrap());
        thread::sleep(Duration::from_millis(100));
        stop.stop();
        looking.join().unwrap()
    });
    assert!(burst.seconds < 40.0);
    let again = sampler.burst(PACE, &stop).unwrap();
    assert_eq!(again.looks, 0);
}
