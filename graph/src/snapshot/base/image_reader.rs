//! Reads an image from its file into private memory and checks each section on the way.
//!
//! The file is not mapped, because truncating a mapped file ends every process that has it mapped
//! (SIGBUS), and writing to it changes the answers. Private memory does not change after the check,
//! whatever happens to the file.

use super::{ImageLayout, SECTIONS, StreamChecksum};
use memmap2::{Mmap, MmapOptions};
use std::fs::File;
use std::io::{Error, ErrorKind, Result as IoResult};
use std::sync::{Mutex, PoisonError};

/// The number of bytes to read before checking them, while they are still in the processor's cache.
const CHUNK_BYTES: usize = 256 * 1024;

/// The size from which several threads read an image. Starting a thread takes as long as reading
/// half a megabyte.
const MIN_PARALLEL_BYTES: u64 = if cfg!(test) { 64 << 10 } else { 4 << 20 };

/// The maximum number of threads that read one image. More threads than memory channels gain
/// nothing.
const MAX_THREADS: usize = 4;

/// The reason why an image could not be read.
pub(super) enum ImageReadError {
    Io(Error),
    /// The number of a section whose checksum or position is wrong.
    Damaged(usize),
}

/// A section to read, and the memory that receives it.
struct SectionRead<'m> {
    number: usize,
    /// The start of the section in the file.
    start: u64,
    memory: &'m mut [u8],
}

/// Reads the sections of a file that is `len` bytes long.
pub(super) fn read_sections(file: &File, len: u64, layout: &ImageLayout) -> Result<Mmap, ImageReadError> {
    let size = usize::try_from(len).map_err(|_| ImageReadError::Io(ErrorKind::FileTooLarge.into()))?;
    let mut memory = MmapOptions::new().len(size).map_anon().map_err(ImageReadError::Io)?;
    // Mapping a standard page per 4 KiB would take longer than reading. Systems without huge pages
    // return an error, which is ignored.
    #[cfg(target_os = "linux")]
    let _ = memory.advise(memmap2::Advice::HugePage);
    let jobs = Mutex::new(plan_reads(&mut memory, layout)?);
    let threads = match len {
        0..MIN_PARALLEL_BYTES => 1,
        _ => std::thread::available_parallelism().map_or(1, |cores| cores.get().min(MAX_THREADS)),
    };
    let read_jobs = || -> Result<(), ImageReadError> {
        loop {
            let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(job) = job else { return Ok(()) };
            if read_section(file, job.start, job.memory).map_err(ImageReadError::Io)?
                != layout.sums[job.number]
            {
                return Err(ImageReadError::Damaged(job.number));
            }
        }
    };
    std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(read_jobs)).collect();
        let first = read_jobs();
        helpers.into_iter().fold(first, |outcome, helper| {
            let other = helper.join().unwrap_or_else(|_| Err(ImageReadError::Io(ErrorKind::Other.into())));
            outcome.and(other)
        })
    })?;
    drop(jobs);
    memory.make_read_only().map_err(ImageReadError::Io)
}

/// Returns the sections to read, the largest last.
fn plan_reads<'m>(
    memory: &'m mut [u8],
    layout: &ImageLayout,
) -> Result<Vec<SectionRead<'m>>, ImageReadError> {
    let mut order: Vec<usize> = (0..SECTIONS).collect();
    order.sort_by_key(|&number| layout.sections[number]);
    let (mut rest, mut at) = (memory, 0);
    let mut jobs = Vec::with_capacity(SECTIONS);
    for number in order {
        let (start, len) = layout.sections[number];
        if len == 0 {
            continue;
        }
        // Overlapping sections are damage, because no writer creates them.
        let skipped = start.checked_sub(at).ok_or(ImageReadError::Damaged(number))?;
        let (section, after) = std::mem::take(&mut rest)
            .split_at_mut_checked(skipped)
            .and_then(|(_, rest)| rest.split_at_mut_checked(len))
            .ok_or(ImageReadError::Damaged(number))?;
        jobs.push(SectionRead { number, start: start as u64, memory: section });
        (rest, at) = (after, start + len);
    }
    jobs.sort_by_key(|job| job.memory.len());
    Ok(jobs)
}

/// Reads one section; returns its checksum.
fn read_section(file: &File, start: u64, memory: &mut [u8]) -> IoResult<u64> {
    let (mut sum, mut at) = (StreamChecksum::default(), start);
    for chunk in memory.chunks_mut(CHUNK_BYTES) {
        read_at(file, at, chunk)?;
        sum.add_bytes(chunk);
        at += chunk.len() as u64;
    }
    Ok(sum.finish())
}

/// Fills `buffer` with the bytes at a position of a file.
#[cfg(unix)]
pub(super) fn read_at(file: &File, at: u64, buffer: &mut [u8]) -> IoResult<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

/// Fills `buffer` with the bytes at a position of a file.
#[cfg(windows)]
pub(super) fn read_at(file: &File, mut at: u64, mut buffer: &mut [u8]) -> IoResult<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, at)? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            read => {
                buffer = &mut buffer[read..];
                at += read as u64;
            }
        }
    }
    Ok(())
}
