//! Reads the packages that Elixir's `mix.exs` names. The file is a program, which Kenning does not
//! run: it reads only the name of the application and the tuples in the list of dependencies.

use super::ManifestReader;
use super::declaration::{DependencyOrigin, ManifestNames, quoted_requirements};
use super::python::quoted_texts;
use kenning_graph::packages::PackageEcosystem;
use kenning_graph::paths::{join_path, join_relative, parent_folder};

/// Reads the application and the dependencies of a `mix.exs`.
pub(super) fn read_mix(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Hex);
    let text = source.manifest_text(path).unwrap_or_default();
    let folder = parent_folder(path);
    let mut in_dependencies = false;
    for (line, number) in text.lines().map(str::trim).zip(0..) {
        if line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix("app: :") {
            names.add_defined(name.trim_end_matches(','), number);
        }
        let words: Vec<&str> = line.split([' ', '(']).take(2).collect();
        if let [keyword @ ("def" | "defp"), name] = words[..] {
            in_dependencies = name == "deps" && keyword.starts_with("def");
        }
        let Some((_, tuple)) = line.split_once("{:").filter(|_| in_dependencies) else { continue };
        let (name, rest) = tuple.split_at(tuple.find([',', '}']).unwrap_or(tuple.len()));
        let rest = rest.split_once('}').map_or(rest, |(inner, _)| inner);
        let (requirement, options) = rest.split_once(": ").unwrap_or((rest, ""));
        names.add_dependency(name.trim(), number, &quoted_requirements(requirement));
        let Some(last) = names.dependencies.last_mut() else { continue };
        let local = rest.split_once("path: ").and_then(|(_, value)| quoted_texts(value).next());
        if let Some(local) = local.and_then(|local| join_relative(folder, local)) {
            last.origin = DependencyOrigin::Path(local);
        } else if rest.contains("in_umbrella: true") || options.contains("in_umbrella: true") {
            last.origin = DependencyOrigin::Path(join_path(parent_folder(folder), name.trim()));
        }
    }
    names
}
