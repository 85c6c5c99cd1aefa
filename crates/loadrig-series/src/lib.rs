//! Series of the probes as files: an Arrow stream while a trial runs, Parquet once it is sealed. Both hold one
//! long table. Knows no Python.

mod error;
mod packed;
mod rows;
mod stream;

pub use error::SeriesError;
pub use packed::{Packed, pack};
pub use rows::{Rows, WORD_COLUMNS, Words};
pub use stream::Stream;
