//! TLS as a server speaks it: well, and with certificates that are not to be believed.

use std::io::{BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rcgen::{CertificateParams, DnType, KeyPair};
use rustls::{ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};
use serde_json::{Value, json};

use crate::common::server::{Line, Server, read_request};
use crate::common::with;
use crate::storm::{every_second, one_connection_each};

/// A TLS connection, as a server has it.
pub(crate) type Secure = StreamOwned<ServerConnection, TcpStream>;

/// Identities made so far.
static IDENTITIES: AtomicU64 = AtomicU64::new(0);

/// Introduction of a server.
#[derive(Clone)]
pub(crate) struct Identity {
    pub(crate) config: Arc<ServerConfig>,
    /// Its certificate, which is its own authority.
    pub(crate) pem: String,
}

impl Identity {
    /// For this name, good for all times.
    pub(crate) fn of(name: &str) -> Self {
        Self::with(name, rustls::ALL_VERSIONS, |_| ())
    }

    /// With some protocol versions only, and a certificate that is changed before it is signed.
    pub(crate) fn with(
        name: &str,
        versions: &[&'static SupportedProtocolVersion],
        change: impl FnOnce(&mut CertificateParams),
    ) -> Self {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        // A name of its own: else one would be taken for the authority of another.
        let own = format!("authority {}", IDENTITIES.fetch_add(1, Ordering::Relaxed));
        params.distinguished_name.push(DnType::CommonName, own);
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let key = rustls_pki_types::PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(versions)
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        Self { config: Arc::new(config), pem: certificate.pem() }
    }

    /// The server's side of a connection, nothing said yet.
    pub(crate) fn secure(&self, line: &mut Line) -> Secure {
        StreamOwned::new(ServerConnection::new(Arc::clone(&self.config)).unwrap(), line.stream())
    }

    /// Answers one request well, and closes as it should be.
    pub(crate) fn serve_well(&self, line: &mut Line) {
        let mut stream = BufReader::new(self.secure(line));
        if read_request(&mut stream).is_some() {
            let _ = stream.get_mut().write_all(GOOD);
        }
        say_goodbye(stream.get_mut());
    }

    /// Reads one request, and leaves the rest to `then`.
    pub(crate) fn after_a_request(&self, line: &mut Line, then: impl FnOnce(&mut Secure)) {
        let mut stream = BufReader::new(self.secure(line));
        if read_request(&mut stream).is_some() {
            then(stream.get_mut());
        }
    }
}

/// The one answer of a connection.
pub(crate) const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";

/// Closes a TLS connection as the protocol wants it.
pub(crate) fn say_goodbye(stream: &mut Secure) {
    stream.conn.send_close_notify();
    let _ = stream.flush();
}

/// Reads and forgets until the other side closes, whatever it says.
pub(crate) fn wait_for_end(stream: &TcpStream) {
    let mut stream = stream;
    let mut some = [0; 4096];
    while stream.read(&mut some).is_ok_and(|read| read > 0) {}
}

/// A server that treats every second connection badly; the others get a good answer over TLS.
pub(crate) fn server(identity: &Identity, badly: impl Fn(&mut Line) + Send + Sync + 'static) -> Server {
    let good = identity.clone();
    every_second(move |line| good.serve_well(line), badly)
}

/// Requests over TLS, each on a connection of its own, to a server of this identity.
pub(crate) fn load(server: &Server, identity: &Identity, count: u64) -> Value {
    with(one_connection_each(server, count), |config| {
        config["server"]["scheme"] = json!("https");
        config["server"]["tls"] =
            json!({"server_name": "localhost", "insecure": false, "ca_pem": identity.pem});
    })
}
