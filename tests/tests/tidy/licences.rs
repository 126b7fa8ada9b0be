//! The check of third-party licences against the list in `deny.toml`.

use super::{Finding, tree};
use cargo_metadata::Metadata;
use std::collections::BTreeMap;

/// The licences that `deny.toml` allows.
pub struct Allowed {
    everywhere: Vec<String>,
    /// Additional licences of single crates.
    exceptions: BTreeMap<String, Vec<String>>,
}

/// Reads the `[licenses]` table of `deny.toml`.
pub fn allowed(deny: &str) -> Allowed {
    let deny: toml::Table = deny.parse().expect("deny.toml is TOML");
    let names = |value: &toml::Value| -> Vec<String> {
        let list = value["allow"].as_array().expect("`allow` is a list");
        list.iter().map(|name| name.as_str().expect("a licence is a string").to_owned()).collect()
    };
    let licences = &deny["licenses"];
    let exceptions = licences["exceptions"].as_array().expect("`exceptions` is a list").iter();
    let exceptions = exceptions.map(|entry| {
        let name = entry["crate"].as_str().expect("an exception names its crate");
        (name.to_owned(), names(entry))
    });
    Allowed { everywhere: names(licences), exceptions: exceptions.collect() }
}

/// Returns the crates whose licence is not allowed. Skips the crates of this workspace.
pub fn check(metadata: &Metadata, allowed: &Allowed) -> Vec<Finding> {
    let lock = std::fs::read_to_string(tree::root().join("Cargo.lock")).expect("Cargo.lock");
    let foreign = metadata.packages.iter().filter(|package| package.source.is_some());
    foreign
        .filter_map(|package| {
            let name = package.name.as_str();
            let what = check_crate(name, package.license.as_deref(), allowed)?;
            let line =
                lock.lines().position(|line| line == format!("name = \"{name}\"")).map_or(1, |at| at + 1);
            let mend = "Replace the crate, or allow the licence in deny.toml after reading it";
            Some(Finding { file: "Cargo.lock".to_owned(), line, what, mend })
        })
        .collect()
}

fn check_crate(name: &str, licence: Option<&str>, allowed: &Allowed) -> Option<String> {
    let Some(licence) = licence else { return Some(format!("`{name}` names no licence")) };
    let more = allowed.exceptions.get(name).map_or(&[][..], Vec::as_slice);
    let permits = |id: &str| allowed.everywhere.iter().chain(more).any(|known| known == id);
    (!satisfied(licence, &permits)).then(|| format!("`{name}` is under {licence}"))
}

/// Whether an SPDX expression (with the old `/` for OR) can be satisfied. A malformed one cannot. A
/// licence `WITH` an exception permits at least as much as the licence alone.
fn satisfied(expression: &str, permits: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = tokens.as_slice();
    either(&mut rest, permits) == Some(true) && rest.is_empty()
}

fn either(rest: &mut &[&str], permits: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut holds = both(rest, permits)?;
    while let ["OR", after @ ..] = *rest {
        *rest = after;
        holds |= both(rest, permits)?;
    }
    Some(holds)
}

fn both(rest: &mut &[&str], permits: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut holds = single(rest, permits)?;
    while let ["AND", after @ ..] = *rest {
        *rest = after;
        holds &= single(rest, permits)?;
    }
    Some(holds)
}

fn single(rest: &mut &[&str], permits: &dyn Fn(&str) -> bool) -> Option<bool> {
    match *rest {
        ["(", after @ ..] => {
            *rest = after;
            let holds = either(rest, permits)?;
            *rest = rest.strip_prefix(&[")"])?;
            Some(holds)
        }
        [id, "WITH", _, after @ ..] | [id, after @ ..] => {
            *rest = after;
            Some(permits(id))
        }
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{allowed, check_crate};

    const DENY: &str = r#"
        [licenses]
        allow = ["MIT", "Apache-2.0", "Unicode-3.0"]
        [[licenses.exceptions]]
        crate = "odd"
        allow = ["MPL-2.0"]
    "#;

    fn refused(name: &str, licence: Option<&str>) -> bool {
        check_crate(name, licence, &allowed(DENY)).is_some()
    }

    #[test]
    fn one_side_of_or_suffices_and_all_of_and_are_needed() {
        for licence in [
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-3.0/MIT",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
            "GPL-3.0 OR MIT AND Unicode-3.0",
        ] {
            assert!(!refused("some", Some(licence)), "{licence}");
        }
        for licence in [
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "(MIT OR GPL-3.0) AND GPL-2.0",
            "MIT OR",
            "(MIT",
            "",
            "MIT Apache-2.0",
        ] {
            assert!(refused("some", Some(licence)), "{licence}");
        }
        assert!(refused("some", None));
    }

    #[test]
    fn an_exception_holds_for_its_crate_only() {
        assert!(!refused("odd", Some("MPL-2.0")));
        assert!(refused("some", Some("MPL-2.0")));
    }
}
