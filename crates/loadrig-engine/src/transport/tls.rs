//! TLS on a non-blocking socket.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::io::Errno;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};

use super::{Fault, Received};
use crate::config::{Protocol, Refusal, Tls};
use crate::socket;

/// Settings of TLS, for each protocol that may be spoken over it.
#[derive(Debug, Clone)]
pub(crate) struct Trusts {
    http1: Trust,
    http2: Trust,
}

impl Trusts {
    /// Makes the TLS part of a config ready.
    ///
    /// Refuses, with code `engine.tls`, a name that is none and authorities that are none.
    pub(crate) fn new(tls: &Tls) -> Result<Self, Refusal> {
        let http1 = Trust::new(tls)?;
        Ok(Self { http2: http1.offering(Protocol::Http2), http1 })
    }

    /// Settings for a connection on which this protocol is spoken.
    pub(super) fn of(&self, protocol: Protocol) -> &Trust {
        match protocol {
            Protocol::Http1 => &self.http1,
            Protocol::Http2 => &self.http2,
        }
    }
}

/// Whom we talk to and how the server's certificate is checked. Shared by all threads, with the
/// memory of sessions that can be resumed.
#[derive(Debug, Clone)]
pub(super) struct Trust {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    protocol: Protocol,
}

/// HTTP/2 over TLS as ALPN names it (RFC 9113, section 3.2).
const HTTP2: &[u8] = b"h2";

impl Trust {
    fn new(tls: &Tls) -> Result<Self, Refusal> {
        let name = ServerName::try_from(tls.server_name.clone()).map_err(|_| {
            refusal(
                format!("{:?} is neither a host name nor an IP address", tls.server_name),
                "server.tls.server_name",
                "give the name that the server's certificate is for",
            )
            .worded("no_server_name", [("name", format!("{:?}", tls.server_name))])
        })?;
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| refusal(error.to_string(), "server.tls", "report this"))?;
        let mut config = if tls.insecure {
            let verifier = Arc::new(AnyCertificate { provider });
            builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth()
        } else {
            let roots = Arc::new(authorities(tls.ca_pem.as_deref())?);
            let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider)
                .build()
                .map_err(|error| refusal(error.to_string(), "server.tls", INSTALL_OR_GIVE))?;
            builder.with_webpki_verifier(verifier).with_no_client_auth()
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { config: Arc::new(config), name, protocol: Protocol::Http1 })
    }

    /// The same for a connection on which another protocol is spoken.
    fn offering(&self, protocol: Protocol) -> Self {
        let mut config = ClientConfig::clone(&self.config);
        config.alpn_protocols = vec![match protocol {
            Protocol::Http1 => b"http/1.1".to_vec(),
            Protocol::Http2 => HTTP2.to_vec(),
        }];
        Self { config: Arc::new(config), name: self.name.clone(), protocol }
    }
}

const INSTALL_OR_GIVE: &str =
    "install the system's certificates (package ca-certificates), or give the authority with tls: {ca: FILE}";

fn refusal(what: String, place: &str, mend: &str) -> Refusal {
    Refusal::new("engine.tls", what, place, mend)
}

/// The given authorities, else the system's.
fn authorities(ca_pem: Option<&str>) -> Result<RootCertStore, Refusal> {
    let mut roots = RootCertStore::empty();
    let Some(pem) = ca_pem else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            let what = "the system has no authority to check the server's certificate against";
            return Err(
                refusal(what.to_owned(), "server.tls.ca_pem", INSTALL_OR_GIVE).worded("no_authorities", [])
            );
        }
        return Ok(roots);
    };
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        let certificate = certificate.map_err(|error| no_authority(&error.to_string()))?;
        roots.add(certificate).map_err(|error| no_authority(&error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(no_authority("no certificate was found in it"));
    }
    Ok(roots)
}

fn no_authority(reason: &str) -> Refusal {
    refusal(
        format!("the authority is no certificate in PEM: {reason}"),
        "server.tls.ca_pem",
        "give a file that holds BEGIN CERTIFICATE … END CERTIFICATE",
    )
    .worded("authority_no_certificate", [("reason", reason.to_owned())])
}

/// Takes any certificate, but still checks that the server holds its key: asked for with `-k`.
#[derive(Debug)]
struct AnyCertificate {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// A TLS connection, made or being made.
#[derive(Debug)]
pub(crate) struct Stream {
    socket: OwnedFd,
    session: ClientConnection,
    protocol: Protocol,
}

impl Stream {
    pub(super) fn new(socket: OwnedFd, trust: &Trust) -> Result<Self, Fault> {
        let session = ClientConnection::new(Arc::clone(&trust.config), trust.name.clone())?;
        Ok(Self { socket, session, protocol: trust.protocol })
    }

    /// Goes on with the handshake; true when it is done and all of it was written.
    pub(super) fn shake(&mut self) -> Result<bool, Fault> {
        loop {
            let is_flushed = self.flush()?;
            if !self.session.is_handshaking() {
                let is_agreed =
                    self.protocol == Protocol::Http1 || self.session.alpn_protocol() == Some(HTTP2);
                return if is_agreed { Ok(is_flushed) } else { Err(Fault::NoHttp2) };
            }
            match self.pull()? {
                Pulled::Something => {}
                Pulled::Nothing => return Ok(false),
                Pulled::End => return Err(Fault::EndOfHandshake),
            }
        }
    }

    pub(super) fn send(&mut self, bytes: &[u8]) -> Result<usize, Fault> {
        // The session takes up to 64 KiB ahead of the socket, then nothing.
        let taken = self.session.writer().write(bytes).unwrap_or(0);
        self.flush()?;
        Ok(taken)
    }

    pub(super) fn flush(&mut self) -> Result<bool, Fault> {
        while self.session.wants_write() {
            match self.session.write_tls(&mut Pipe(self.socket.as_fd())) {
                Ok(_) => {}
                Err(error) if is_blocked(&error) => return Ok(false),
                Err(error) => return Err(fault(&error)),
            }
        }
        Ok(true)
    }

    pub(super) fn receive(&mut self, room: &mut [u8]) -> Result<Received, Fault> {
        loop {
            match self.session.reader().read(room) {
                Ok(0) => return Ok(Received::End),
                // Whether more is there only the next reading shows.
                Ok(count) => return Ok(Received::Bytes { count, is_all: false }),
                Err(error) if is_blocked(&error) => {}
                Err(_) => return Err(Fault::Truncated),
            }
            if let Pulled::Nothing = self.pull()? {
                // Answers to what was just read, such as to a change of keys.
                self.flush()?;
                return Ok(Received::Nothing);
            }
        }
    }

    /// Reads from the socket into the session.
    fn pull(&mut self) -> Result<Pulled, Fault> {
        let pulled = match self.session.read_tls(&mut Pipe(self.socket.as_fd())) {
            Ok(0) => Pulled::End,
            Ok(_) => Pulled::Something,
            Err(error) if is_blocked(&error) => return Ok(Pulled::Nothing),
            Err(error) => return Err(fault(&error)),
        };
        if let Err(error) = self.session.process_new_packets() {
            // The alert that tells the server why; whether it arrives changes nothing for us.
            let _ = self.flush();
            return Err(Fault::Tls(error));
        }
        Ok(pulled)
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pulled {
    Something,
    Nothing,
    End,
}

fn is_blocked(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn fault(error: &io::Error) -> Fault {
    Fault::Errno(error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error))
}

/// The socket, as TLS wants it.
struct Pipe<'a>(BorrowedFd<'a>);

impl Read for Pipe<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(self.0, room)?)
    }
}

impl Write for Pipe<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::net::send(self.0, bytes, socket::NO_SIGNAL)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
