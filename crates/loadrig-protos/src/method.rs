//! Finding a method in a descriptor set.

use prost_reflect::{DescriptorPool, MethodDescriptor, ServiceDescriptor};

/// A unary method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// Full name of the type of its requests.
    pub input: String,
    /// Full name of the type of its answers.
    pub output: String,
}

/// Reason why a path leads to no method that can be called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MethodError {
    /// The bytes are no `FileDescriptorSet`.
    #[error("this is no descriptor set: {0}")]
    Set(String),
    /// Not `package.Service/Method`.
    #[error("{0:?} is no method: write package.Service/Method")]
    Path(String),
    /// No service of this name.
    #[error("there is no service {0}; there is {1}")]
    Service(String, String),
    /// No method of this name.
    #[error("the service {0} has no method {1}; it has {2}")]
    Method(String, String, String),
    /// More than one message in one direction.
    #[error("{0} streams its {1}; only calls with one request and one answer can be made")]
    Streams(String, &'static str),
}

/// The method at a path such as `package.Service/Method`; a slash ahead of it is allowed.
///
/// set: a serialised `google.protobuf.FileDescriptorSet` with all that it imports.
pub fn method(set: &[u8], path: &str) -> Result<Method, MethodError> {
    let pool = DescriptorPool::decode(set).map_err(|error| MethodError::Set(error.to_string()))?;
    let bare = path.strip_prefix('/').unwrap_or(path);
    let (service_name, name) = bare.split_once('/').ok_or_else(|| MethodError::Path(path.to_owned()))?;
    let service = pool.get_service_by_name(service_name).ok_or_else(|| {
        let names = pool.services().map(|service| ServiceDescriptor::full_name(&service).to_owned());
        MethodError::Service(service_name.to_owned(), listed(names))
    })?;
    let found = service.methods().find(|method| method.name() == name).ok_or_else(|| {
        let names = service.methods().map(|method| MethodDescriptor::name(&method).to_owned());
        MethodError::Method(service_name.to_owned(), name.to_owned(), listed(names))
    })?;
    let streams = match (found.is_client_streaming(), found.is_server_streaming()) {
        (false, false) => None,
        (true, false) => Some("requests"),
        (false, true) => Some("answers"),
        (true, true) => Some("requests and answers"),
    };
    match streams {
        Some(what) => Err(MethodError::Streams(bare.to_owned(), what)),
        None => Ok(Method {
            input: found.input().full_name().to_owned(),
            output: found.output().full_name().to_owned(),
        }),
    }
}

fn listed(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    names.sort();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
