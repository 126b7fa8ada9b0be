//! `parse-costs`: measures how much of the limits on steps and memory real source takes, so that the
//! limits stay far above it.

use anyhow::Context;
use clap::Parser;
use kenning_indexing::extract::Extractor;
use kenning_indexing::languages::LanguageRegistry;
use kenning_indexing::walk::DEFAULT_MAX_FILE_BYTES;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Extract each file below the folders, and print the highest costs in each language as CSV
#[derive(Debug, Parser)]
struct Arguments {
    /// Also print a line for each file that was abandoned or took over a tenth of a limit
    #[arg(long)]
    list: bool,
    /// Read only every Nth file of the folders
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    every: u16,
    /// Folders with source code
    #[arg(required = true, value_name = "FOLDER")]
    folders: Vec<PathBuf>,
}

/// The costs of the files in one language.
#[derive(Debug, Default)]
struct LanguageCosts {
    files: u64,
    bytes: u64,
    abandoned: u64,
    /// Steps per kilobyte, and charged bytes per byte, of the files of at least 4 kB.
    steps_per_kilobyte: f64,
    charged_per_byte: f64,
    /// The highest shares of a file's limits.
    share_of_steps: f64,
    share_of_memory: f64,
}

/// Size in bytes of the files whose ratios say something about the language.
const MIN_RATIO_BYTES: usize = 4096;

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut files = Vec::new();
    for folder in &arguments.folders {
        collect_files(folder, &mut files).with_context(|| folder.display().to_string())?;
    }
    let mut languages = BTreeMap::<String, LanguageCosts>::new();
    let mut extractor = Extractor::new();
    let mut out = std::io::stdout().lock();
    for path in files.iter().step_by(usize::from(arguments.every)) {
        let Ok(bytes) = std::fs::read(path) else { continue };
        let Some(language) = LanguageRegistry::get().find_by_file(path, &bytes) else { continue };
        if language.is_document() || bytes.len() as u64 > DEFAULT_MAX_FILE_BYTES {
            continue;
        }
        let quality = extractor.extract_file(language.language_id(), &bytes).quality;
        let cost = extractor.last_cost();
        let share = |used: u64, limit: u64| if limit == 0 { 0.0 } else { used as f64 / limit as f64 };
        let share_of_steps = share(cost.steps, cost.step_limit);
        let share_of_memory = share(cost.charged_bytes, cost.charge_limit);
        let costs = languages.entry(language.language_id().to_owned()).or_default();
        costs.files += 1;
        costs.bytes += bytes.len() as u64;
        costs.abandoned += u64::from(quality.abandoned);
        costs.share_of_steps = costs.share_of_steps.max(share_of_steps);
        costs.share_of_memory = costs.share_of_memory.max(share_of_memory);
        if bytes.len() >= MIN_RATIO_BYTES {
            let length = bytes.len() as f64;
            costs.steps_per_kilobyte = costs.steps_per_kilobyte.max(cost.steps as f64 * 1024.0 / length);
            costs.charged_per_byte = costs.charged_per_byte.max(cost.charged_bytes as f64 / length);
        }
        if arguments.list && (quality.abandoned || share_of_steps > 0.1 || share_of_memory > 0.1) {
            let outcome = if quality.abandoned { "abandoned" } else { "read" };
            let length = bytes.len();
            writeln!(
                out,
                "# {outcome} {length} bytes, steps {share_of_steps:.3}, memory {share_of_memory:.3}: {}",
                path.display()
            )?;
        }
    }
    write!(out, "{}", to_csv(&languages))?;
    Ok(())
}

/// Adds the regular files below a folder, in the order of their paths. Leaves out `.git`.
fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() && entry.file_name() != ".git" {
            collect_files(&path, files)?;
        } else if kind.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

fn to_csv(languages: &BTreeMap<String, LanguageCosts>) -> String {
    let mut out = String::from(
        "language,files,megabytes,abandoned,max_steps_per_kilobyte,max_charged_per_byte,max_share_of_steps,max_share_of_memory\n",
    );
    for (language, costs) in languages {
        let megabytes = costs.bytes as f64 / f64::from(1 << 20);
        let _ = writeln!(
            out,
            "{language},{},{megabytes:.1},{},{:.0},{:.0},{:.3},{:.3}",
            costs.files,
            costs.abandoned,
            costs.steps_per_kilobyte,
            costs.charged_per_byte,
            costs.share_of_steps,
            costs.share_of_memory
        );
    }
    out
}
