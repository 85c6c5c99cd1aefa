//! The conversation with the parent, one JSON message a line: a config comes in, `ready` goes
//! out, the start comes in, frames go out, `end` goes out.
//!
//! The calling thread talks and puts frames together; a thread listens to the parent; each shard
//! of the load has a thread of its own. All of them tell the calling thread through one channel.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use loadrig_core::clock::{Clock as _, Monotonic};
use loadrig_core::stop::Stop;
use loadrig_core::units::ns_from_s;
use serde::Deserialize;

use crate::bell::Bell;
use crate::collector::Collector;
use crate::config::{EngineConfig, Refusal};
use crate::control::{Control, Order, Turn};
use crate::frame::{End, Message, Ready, Totals};
use crate::live::Live;
use crate::place;
use crate::testimony;
use crate::transport::{Trusts, check_sources};
use crate::worker::{Orders, Report, Worker};

/// Done, or the parent is gone.
const EXIT_FINE: i32 = 0;
/// The config was refused, or nobody listens to what we say.
const EXIT_REFUSED: i32 = 1;
/// Our own fault; the panic's message is on the standard error stream.
const EXIT_FAULT: i32 = 70;

/// Message to the calling thread.
enum Said {
    /// A line from the parent.
    Line(String),
    /// The parent is gone.
    Gone,
    /// A signal asks for the end.
    Terminate,
    /// A worker is ready, with warnings, or cannot be.
    Made(Result<Vec<String>, Refusal>),
    /// A worker has counted.
    Report(Box<Report>),
    /// A worker has panicked.
    Died,
}

/// A message from the parent after the config.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Told {
    /// Let arrivals start at this instant of the monotonic clock.
    StartAtNs(u64),
    /// Another level of the load from an instant on; it must not lie behind an earlier one's.
    Level { to: f64, at_ns: u64 },
    /// Go on over new connections: what is idle is closed now, what is busy with its answer.
    Renew(#[expect(dead_code, reason = "it is part of the protocol, not of what we do")] String),
    /// No new requests; the reason is for people who read the conversation.
    Stop(#[expect(dead_code, reason = "it is part of the protocol, not of what we do")] String),
}

/// Runs one load for a parent that writes to `reader` and reads from `writer`, and returns the
/// exit code of the process: 0 when it is done, 1 when the config is refused, 70 when it is our
/// own fault.
///
/// Instant at which `reader` is at its end the parent is gone, and everything ends at once.
pub fn serve(reader: impl BufRead + Send + 'static, writer: impl Write) -> i32 {
    let (say, hear) = mpsc::channel();
    talk(reader, writer, say, &hear)
}

/// Runs one load over the standard streams of this process. The terminating signal (SIGTERM)
/// stops it gracefully; an interrupt or the end of the terminal (SIGINT, SIGHUP) is for the parent to decide
/// on and is ignored.
#[must_use]
pub fn serve_process() -> i32 {
    let (say, hear) = mpsc::channel();
    let to_us = say.clone();
    place::ignore_interrupts();
    let listening = place::on_termination(move || to_us.send(Said::Terminate).is_ok());
    if let Err(error) = listening {
        eprintln!("loadrig: SIGTERM will not be graceful: {error}");
    }
    talk(io::BufReader::new(io::stdin()), io::stdout().lock(), say, &hear)
}

fn talk(
    reader: impl BufRead + Send + 'static,
    writer: impl Write,
    say: Sender<Said>,
    hear: &Receiver<Said>,
) -> i32 {
    let mut mouth = Mouth { writer, is_heard: true };
    let ears = say.clone();
    // It may wait for a line until the process ends: nobody waits for it.
    thread::spawn(move || listen(reader, &ears));
    let config = match first_line(hear).map(|line| EngineConfig::parse(&line)) {
        None => return EXIT_REFUSED,
        Some(Ok(config)) => Arc::new(config),
        Some(Err(refusal)) => return mouth.refuse(&refusal),
    };
    match Crew::hire(&config, say, hear) {
        Ok(Some(crew)) => crew.work(&mut mouth, hear),
        Ok(None) => EXIT_REFUSED,
        Err(refusal) => mouth.refuse(&refusal),
    }
}

fn first_line(hear: &Receiver<Said>) -> Option<String> {
    match hear.recv() {
        Ok(Said::Line(line)) => Some(line),
        _ => None,
    }
}

fn listen(reader: impl BufRead, say: &Sender<Said>) {
    for line in reader.lines() {
        let Ok(line) = line else { break };
        if !line.trim().is_empty() && say.send(Said::Line(line)).is_err() {
            return;
        }
    }
    // Nobody is there to hear it only when all is over.
    let _ = say.send(Said::Gone);
}

/// Receiver of messages. A parent that no longer reads is as good as gone.
struct Mouth<W: Write> {
    writer: W,
    is_heard: bool,
}

impl<W: Write> Mouth<W> {
    /// Says nothing more once something was not heard: a conversation with a gap, which goes on to its end,
    /// would pass for a whole one.
    fn say(&mut self, message: &Message<'_>) {
        if !self.is_heard {
            return;
        }
        let mut line = serde_json::to_vec(message).expect("a message has text for keys and finite numbers");
        line.push(b'\n');
        if let Err(error) = self.writer.write_all(&line).and_then(|()| self.writer.flush()) {
            self.is_heard = false;
            eprintln!("loadrig: what the generator says cannot be written: {error}");
        }
    }

    fn refuse(&mut self, refusal: &Refusal) -> i32 {
        self.say(&Message::Refused(refusal));
        EXIT_REFUSED
    }
}

/// All workers, ready to start.
struct Crew {
    config: Arc<EngineConfig>,
    control: Control,
    bells: Vec<Bell>,
    starts: Vec<Sender<(u64, u64)>>,
    spares: Vec<Sender<Box<Live>>>,
    threads: Vec<JoinHandle<()>>,
    warnings: Vec<String>,
    /// Messages that came while something else was waited for.
    early: VecDeque<Said>,
}

impl Crew {
    /// Starts the workers' threads and waits until each is ready. None: the parent is gone.
    fn hire(
        config: &Arc<EngineConfig>,
        say: Sender<Said>,
        hear: &Receiver<Said>,
    ) -> Result<Option<Self>, Refusal> {
        check_sources(config)?;
        let trusts = config.servers().map(|server| server.tls.as_ref().map(Trusts::new).transpose());
        let trusts = trusts.collect::<Result<Vec<_>, _>>()?;
        let mut crew = Self {
            config: Arc::clone(config),
            control: Control::default(),
            bells: Vec::new(),
            starts: Vec::new(),
            spares: Vec::new(),
            threads: Vec::new(),
            warnings: Vec::new(),
            early: VecDeque::new(),
        };
        if let Err(error) = place::raise_descriptors() {
            crew.warnings.push(format!("the limit of open files stays as it is: {error}"));
        }
        if let Err(error) = place::pin(&config.cpus) {
            crew.warnings.push(format!("the generator is not kept to CPUs {:?}: {error}", config.cpus));
        }
        let threads = config.threads_used();
        if threads < config.threads {
            let (asked, most) = (config.threads, config.connections.most);
            let sharing = match config.part.of {
                1 => String::new(),
                of => format!(" for {of} generators"),
            };
            crew.warnings.push(format!(
                "{threads} of {asked} threads are used: there are {most} connections{sharing}"
            ));
        }
        let stop = Stop::new(u64::MAX, config.requests_most());
        for (thread, shard) in (0..).zip(config.shards()) {
            let orders = Orders {
                config: Arc::clone(config),
                trusts: trusts.clone(),
                control: crew.control.clone(),
                stop: stop.clone(),
                shard,
                thread,
                threads,
            };
            crew.employ(orders, say.clone())?;
        }
        drop(say);
        place::be_humble();
        let mut missing = threads;
        while missing > 0 {
            match hear.recv() {
                Ok(Said::Made(Ok(warnings))) => {
                    crew.warnings.extend(warnings);
                    missing -= 1;
                }
                Ok(Said::Made(Err(refusal))) => return Err(refusal),
                Ok(Said::Gone | Said::Died) | Err(_) => return Ok(None),
                Ok(other) => crew.early.push_back(other),
            }
        }
        Ok(Some(crew))
    }

    fn employ(&mut self, orders: Orders, say: Sender<Said>) -> Result<(), Refusal> {
        let bell = Bell::new().map_err(|error| no_thread(&error))?;
        let (start, started) = mpsc::channel();
        let (give, spare) = mpsc::channel();
        self.bells.push(bell.clone());
        self.starts.push(start);
        self.spares.push(give);
        let thread = thread::Builder::new()
            .name(format!("loadrig-{}", orders.thread))
            .spawn(move || one_worker(&orders, bell, &say, spare, &started))
            .map_err(|error| no_thread(&error))?;
        self.threads.push(thread);
        Ok(())
    }

    /// From ready to the end.
    fn work(mut self, mouth: &mut Mouth<impl Write>, hear: &Receiver<Said>) -> i32 {
        mouth.say(&Message::Ready(Ready {
            pid: std::process::id(),
            threads: u32::try_from(self.threads.len()).unwrap_or(u32::MAX),
            start_ns: Monotonic.now_ns(),
            warnings: std::mem::take(&mut self.warnings),
        }));
        let start_ns = match self.await_start(hear) {
            Ok(Some(start_ns)) => start_ns,
            Ok(None) => {
                mouth.say(&Message::End(nothing_done()));
                return EXIT_FINE;
            }
            Err(refusal) => return mouth.refuse(&refusal),
        };
        let stop_ns = start_ns.saturating_add(ns_from_s(self.config.stop.after_s));
        for start in &self.starts {
            // A worker that has died says so itself.
            let _ = start.send((start_ns, stop_ns));
        }
        let spares = std::mem::take(&mut self.spares);
        let mut collector = Collector::new(Arc::clone(&self.config), start_ns, spares);
        let code = self.follow(mouth, hear, &mut collector);
        for thread in self.threads {
            // That it has panicked was said, and is the exit code.
            let _ = thread.join();
        }
        code
    }

    /// Waits for the start. None: there will be none.
    fn await_start(&mut self, hear: &Receiver<Said>) -> Result<Option<u64>, Refusal> {
        loop {
            match self.early.pop_front().map_or_else(|| hear.recv(), Ok) {
                Ok(Said::Line(line)) => match serde_json::from_str(&line) {
                    Ok(Told::StartAtNs(start_ns)) => return Ok(Some(start_ns)),
                    Ok(Told::Stop(_)) => return Ok(None),
                    Ok(Told::Level { .. }) => eprintln!("loadrig: a level before the start"),
                    Ok(Told::Renew(_)) => {}
                    Err(error) => return Err(Refusal::config(error.to_string(), "start_at_ns")),
                },
                Ok(Said::Made(_) | Said::Report(_)) => {}
                Ok(Said::Gone | Said::Terminate | Said::Died) | Err(_) => return Ok(None),
            }
        }
    }

    /// Writes frames until all workers are at their end.
    fn follow(&self, mouth: &mut Mouth<impl Write>, hear: &Receiver<Said>, collector: &mut Collector) -> i32 {
        while let Ok(said) = hear.recv() {
            match said {
                Said::Report(report) => {
                    collector.take(*report);
                    while let Some(frame) = collector.next_frame() {
                        mouth.say(&Message::Frame(Box::new(frame)));
                    }
                    if let Some(end) = collector.end(Monotonic.now_ns()) {
                        mouth.say(&Message::End(end));
                        return if mouth.is_heard { EXIT_FINE } else { EXIT_REFUSED };
                    }
                }
                Said::Line(line) => match serde_json::from_str(&line) {
                    Ok(Told::Stop(_)) => self.order(Order::Stop),
                    Ok(Told::StartAtNs(_)) => eprintln!("loadrig: it has started already"),
                    Ok(Told::Level { to, at_ns }) => self.turn(to, at_ns, collector),
                    Ok(Told::Renew(_)) => self.renew(),
                    Err(error) => eprintln!("loadrig: a message that is none: {error}: {line}"),
                },
                Said::Terminate => self.order(Order::Stop),
                Said::Gone => self.order(Order::Abort),
                Said::Died => {
                    self.order(Order::Abort);
                    return EXIT_FAULT;
                }
                Said::Made(_) => {}
            }
            if !mouth.is_heard {
                self.order(Order::Abort);
            }
        }
        EXIT_FAULT
    }

    fn order(&self, order: Order) {
        self.control.give(order);
        self.wake();
    }

    /// A level that is told too late counts from now on: what was due before it was sent by then.
    fn turn(&self, to: f64, at_ns: u64, collector: &mut Collector) {
        if !(to.is_finite() && to >= 0.0) {
            eprintln!("loadrig: {to} is no level");
            return;
        }
        let turn = Turn { at_ns: at_ns.max(Monotonic.now_ns()), to };
        self.control.turn(turn);
        collector.turn(turn);
        self.wake();
    }

    fn renew(&self) {
        self.control.renew();
        self.wake();
    }

    fn wake(&self) {
        for bell in &self.bells {
            bell.ring();
        }
    }
}

/// The end of a run that never started.
fn nothing_done() -> End {
    End {
        why: "stopped",
        t_ns: Monotonic.now_ns(),
        totals: Totals::default(),
        max_rss_bytes: testimony::memory_bytes().1,
    }
}

fn no_thread(error: &io::Error) -> Refusal {
    Refusal::new(
        "engine.system",
        format!("the system gives the generator no thread: {error}"),
        "threads",
        "ask for fewer threads, or raise the limits of processes and of open files (`ulimit -u`, `ulimit -n`)",
    )
    .worded("no_thread", [("reason", error.to_string())])
}

/// The life of a worker's thread.
fn one_worker(
    orders: &Orders,
    bell: Bell,
    say: &Sender<Said>,
    spare: Receiver<Box<Live>>,
    started: &Receiver<(u64, u64)>,
) {
    let _last_words = LastWords(say.clone());
    let warnings = place::settle(&orders.config.cpus, orders.thread as usize);
    let to_collector = say.clone();
    let tell = Box::new(move |report| {
        // A collector that is gone is the end of the process, which is on its way.
        let _ = to_collector.send(Said::Report(Box::new(report)));
    });
    let made = Worker::new(orders, bell, tell, spare);
    let (said, worker) = match made {
        Ok(worker) => (Ok(warnings), Some(worker)),
        Err(refusal) => (Err(refusal), None),
    };
    if say.send(Said::Made(said)).is_err() {
        return;
    }
    let Some(worker) = worker else { return };
    if let Ok((start_ns, stop_ns)) = started.recv() {
        worker.run(start_ns, stop_ns);
    }
}

/// Tells if its thread panics.
struct LastWords(Sender<Said>);

impl Drop for LastWords {
    fn drop(&mut self) {
        if thread::panicking() {
            // Nobody hears it only when all is over anyway.
            let _ = self.0.send(Said::Died);
        }
    }
}
