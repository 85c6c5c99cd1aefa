//! The conversation with the parent: where to listen comes in, `ready` goes out, then settings and
//! questions come in and each is answered.

use std::io::{self, Write};
use std::os::fd::AsFd;

use loadrig_engine::place;
use rustix::io::Errno;

use crate::message::{Question, Said, Start, Told};
use crate::proxy::Proxy;

/// The parent is gone.
const EXIT_FINE: i32 = 0;
/// Error where the proxy could not begin, or nobody listens to what we say.
const EXIT_REFUSED: i32 = 1;
/// The system has failed us.
const EXIT_FAULT: i32 = 70;

/// Runs one proxy for a parent that writes to `from` and reads from `to`, until `from` is at its end.
///
/// `from` must be something that can be waited for: a pipe or a socket, no file.
/// Returns the exit code of the process: 0 when the parent is gone, 1 when the proxy could not begin
/// (which was said), 70 when the system fails it.
pub fn serve(from: impl AsFd, to: impl Write) -> i32 {
    let (mut ears, mut mouth) = (Ears { from, pending: Vec::new() }, Mouth { to });
    match talk(&mut ears, &mut mouth) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("loadrig: the proxy has failed: {error}");
            EXIT_FAULT
        }
    }
}

/// Runs one proxy over the standard streams of this process. An interrupt or the end of the terminal
/// (SIGINT, SIGHUP) is for the parent to decide on and is ignored.
#[must_use]
pub fn serve_process() -> i32 {
    place::ignore_interrupts();
    serve(io::stdin(), io::stdout().lock())
}

fn talk(ears: &mut Ears<impl AsFd>, mouth: &mut Mouth<impl Write>) -> io::Result<i32> {
    let line = loop {
        match ears.next_line() {
            Some(line) => break line,
            None if ears.listen()? => {}
            None => return Ok(EXIT_REFUSED),
        }
    };
    let start: Start = match serde_json::from_slice(&line) {
        Ok(start) => start,
        Err(error) => return Ok(mouth.refuse(error.to_string())),
    };
    let mut warnings = place::settle(&[], 0);
    if let Err(error) = place::pin(&start.cpus) {
        warnings.push(format!("the proxy is not kept to cores {:?}: {error}", start.cpus));
    }
    if let Err(error) = place::raise_descriptors() {
        warnings.push(format!("the limit of open files stays as it is: {error}"));
    }
    let made = Proxy::new(&start, &ears.from).and_then(|proxy| Ok((proxy.port()?, proxy)));
    let (port, mut proxy) = match made {
        Ok(made) => made,
        Err(error) => {
            let what = format!("cannot listen on {}, port {}: {error}", start.host, start.listen);
            return Ok(mouth.refuse(what));
        }
    };
    if !mouth.say(&Said::Ready { port, pid: std::process::id(), warnings }) {
        return Ok(EXIT_REFUSED);
    }
    loop {
        while let Some(line) = ears.next_line() {
            if !mouth.say(&answer(&mut proxy, &line)) {
                return Ok(EXIT_REFUSED);
            }
        }
        proxy.work()?;
        if !ears.listen()? {
            return Ok(EXIT_FINE);
        }
    }
}

fn answer(proxy: &mut Proxy, line: &[u8]) -> Said {
    let told = serde_json::from_slice(line).map_err(|error| error.to_string());
    let told = told.and_then(|told| match &told {
        Told::Set(settings) => settings.check().map(|()| told),
        Told::Ask(_) => Ok(told),
    });
    match told {
        Ok(Told::Set(settings)) => Said::Set { settings, t_ns: proxy.set(settings) },
        Ok(Told::Ask(Question::Counters)) => Said::Counters(proxy.counters()),
        Err(what) => Said::Refused { what },
    }
}

/// Input on which the parent is heard.
struct Ears<F: AsFd> {
    from: F,
    pending: Vec<u8>,
}

impl<F: AsFd> Ears<F> {
    /// Reads what is there, or waits for it; false when the parent is gone.
    fn listen(&mut self) -> io::Result<bool> {
        let mut buffer = [0; 4096];
        match rustix::io::read(&self.from, &mut buffer) {
            Ok(0) | Err(Errno::CONNRESET) => Ok(false),
            Ok(count) => {
                self.pending.extend_from_slice(&buffer[..count]);
                Ok(true)
            }
            Err(Errno::INTR) => Ok(true),
            Err(errno) => Err(errno.into()),
        }
    }

    fn next_line(&mut self) -> Option<Vec<u8>> {
        let end = self.pending.iter().position(|byte| *byte == b'\n')?;
        Some(self.pending.drain(..=end).collect())
    }
}

/// Output on which the parent hears us.
struct Mouth<W: Write> {
    to: W,
}

impl<W: Write> Mouth<W> {
    /// Whether it was heard.
    fn say(&mut self, said: &Said) -> bool {
        let mut line = serde_json::to_vec(said).expect("it has text for keys and finite numbers");
        line.push(b'\n');
        self.to.write_all(&line).and_then(|()| self.to.flush()).is_ok()
    }

    fn refuse(&mut self, what: String) -> i32 {
        self.say(&Said::Refused { what });
        EXIT_REFUSED
    }
}
