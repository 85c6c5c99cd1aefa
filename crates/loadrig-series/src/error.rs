//! Reason why a file of series cannot be read or written.

use parquet::errors::ParquetError;
use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// Reason why a file of series cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SeriesError {
    /// The system refused; the error has its number.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not what it should be.
    #[error("{0}")]
    Damaged(String),
}

impl From<ParquetError> for SeriesError {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) if error.raw_os_error().is_some() => Self::Io(*error),
                Ok(error) => Self::Damaged(error.to_string()),
                Err(inner) => Self::Damaged(inner.to_string()),
            },
            error => Self::Damaged(error.to_string()),
        }
    }
}

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Does what decodes foreign bytes; a panic of a library on bytes that it did not expect becomes `Damaged`.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, SeriesError>) -> Result<T, SeriesError> {
    // A damaged file is the user's affair and has an error: standard error is told of bugs alone.
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let tell = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                tell(panic);
            }
        }));
    });
    IS_GUARDED.set(true);
    // Unwind-safe, as after an error nothing is read of the file any more.
    let outcome = catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(false);
    outcome.unwrap_or_else(|_| Err(SeriesError::Damaged("its content makes no sense".to_owned())))
}
