//! From `.proto` files to one serialised `google.protobuf.FileDescriptorSet`.

use miette::Diagnostic as _;
use protox::Compiler;
use std::path::{Path, PathBuf};

/// Reason why files cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", placed(.place.as_ref()))]
pub struct CompileError {
    /// File, line and column, both from 1; the line is missing if the file cannot be read at all.
    pub place: Option<(PathBuf, Option<(usize, usize)>)>,
    /// Mistake in the file.
    pub what: String,
}

fn placed(place: Option<&(PathBuf, Option<(usize, usize)>)>) -> String {
    match place {
        Some((file, Some((line, column)))) => format!("{}:{line}:{column}: ", file.display()),
        Some((file, None)) => format!("{}: ", file.display()),
        None => String::new(),
    }
}

/// Compiles files, with all that they import, to a serialised `FileDescriptorSet`.
///
/// includes: folders in which imports are looked for, in turn. Each file must lie below one of
/// them. The types that come with Protocol Buffers (`google/protobuf/…`) are always found.
pub fn compile(files: &[PathBuf], includes: &[PathBuf]) -> Result<Vec<u8>, CompileError> {
    let seen_alone = files.iter().map(|file| {
        let compiler = compiled([file].into_iter(), includes)?;
        Ok(compiler.files().filter(|seen| seen.is_import()).filter_map(|seen| real(seen.path()?)).collect())
    });
    let imported: Vec<PathBuf> = seen_alone.collect::<Result<Vec<Vec<_>>, _>>()?.concat();
    // A file that another one imports is there already, perhaps under another name: below which
    // folder a path is looked for is decided by whoever imports it.
    let roots = files.iter().filter(|file| real(file).is_none_or(|file| !imported.contains(&file)));
    Ok(compiled(roots, includes)?.encode_file_descriptor_set())
}

fn compiled<'a>(
    files: impl Iterator<Item = &'a PathBuf>,
    includes: &[PathBuf],
) -> Result<Compiler, CompileError> {
    let read = |error: &protox::Error| error_of(error, includes);
    let mut compiler = Compiler::new(includes).map_err(|error| read(&error))?;
    compiler.include_imports(true).include_source_info(false);
    for file in files {
        compiler.open_file(file).map_err(|error| match error.file() {
            Some(_) => read(&error),
            None => not_found(file, &error),
        })?;
    }
    Ok(compiler)
}

fn real(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// A file that is not there, or not below the folders.
fn not_found(file: &Path, error: &protox::Error) -> CompileError {
    let what = std::fs::metadata(file).map_or_else(|reason| reason.to_string(), |_| error.to_string());
    CompileError { place: Some((file.to_owned(), None)), what }
}

/// An error with its place; files are named by the folder where they were found.
fn error_of(error: &protox::Error, includes: &[PathBuf]) -> CompileError {
    let found = |name: &str| {
        let candidates = includes.iter().map(|folder| folder.join(name));
        candidates.into_iter().find(|path| path.exists()).unwrap_or_else(|| name.into())
    };
    let spot = error.labels().and_then(|mut labels| {
        let contents = error.source_code()?.read_span(labels.next()?.inner(), 0, 0).ok()?;
        Some((contents.line() + 1, contents.column() + 1))
    });
    let place = error.file().map(|name| {
        let file = found(name);
        // What is missing at the end of a file has no place of its own.
        let spot = spot.or_else(|| error.is_parse().then(|| end_of(&file))?);
        (file, spot)
    });
    let what = match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    CompileError { place, what }
}

/// The place behind the last character of a file.
fn end_of(file: &Path) -> Option<(usize, usize)> {
    let text = std::fs::read_to_string(file).ok()?;
    let last = text.rsplit('\n').next().unwrap_or_default();
    Some((text.matches('\n').count() + 1, last.chars().count() + 1))
}
