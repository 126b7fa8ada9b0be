//! Reads the packages that Maven's `pom.xml` and .NET's project files name, with a parser for the
//! part of XML that manifests use.
//!
//! The parser returns tags and texts ([`XmlEvent`]) in the order of the text, without building a
//! tree; [`ElementPath`] tracks the open elements. It accepts any text. Namespaces and entities are
//! not decoded, because manifests do not use them in names of packages.

use super::ManifestReader;
use super::declaration::{DeclaredDependency, DependencyOrigin, ManifestNames};
use super::positions::LocatedText;
use kenning_graph::packages::PackageEcosystem;
use kenning_graph::paths::{file_name, join_relative, parent_folder};
use std::collections::BTreeMap;

/// Maximum depth of nested elements. Hostile files nest thousands; deeper elements are ignored.
const MAX_ELEMENT_DEPTH: usize = 64;

/// A part of a document.
enum XmlEvent<'a> {
    /// `<name attributes>`, or `<name attributes/>` if it is self-closing.
    Start { name: &'a str, attributes: &'a str, is_self_closing: bool },
    /// `</name>`.
    End(&'a str),
    /// The text between tags, trimmed, never empty.
    Text(&'a str),
}

/// Returns the parts of a document, without comments, declarations and instructions. Accepts any
/// text.
fn xml_events(text: &str) -> impl Iterator<Item = XmlEvent<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find('<').unwrap_or(rest.len());
            let before = rest[..start].trim();
            if !before.is_empty() {
                rest = &rest[start..];
                return Some(XmlEvent::Text(before));
            }
            let tag = rest.get(start + 1..)?;
            if let Some(comment) = tag.strip_prefix("!--") {
                rest = comment.split_once("-->").map_or("", |(_, after)| after);
                continue;
            }
            let (inner, after) = tag.split_once('>').unwrap_or((tag, ""));
            rest = after;
            if inner.starts_with(['!', '?']) || inner.is_empty() {
                continue;
            }
            if let Some(name) = inner.strip_prefix('/') {
                return Some(XmlEvent::End(name.trim()));
            }
            let (inner, is_self_closing) =
                inner.strip_suffix('/').map_or((inner, false), |inner| (inner, true));
            let (name, attributes) = inner.split_at(inner.find(char::is_whitespace).unwrap_or(inner.len()));
            return Some(XmlEvent::Start { name, attributes, is_self_closing });
        }
    })
}

/// Returns the value of an attribute.
fn attribute_value<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = attributes;
    while let Some((before, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| ['"', '\''].contains(c))?;
        let (value, next) = after[1..].split_once(quote)?;
        if before.trim() == name {
            return Some(value);
        }
        rest = next;
    }
    None
}

/// The path of open elements.
#[derive(Default)]
struct ElementPath<'a>(Vec<&'a str>);

impl<'a> ElementPath<'a> {
    fn apply_event(&mut self, event: &XmlEvent<'a>) {
        match event {
            XmlEvent::Start { name, is_self_closing: false, .. } if self.0.len() < MAX_ELEMENT_DEPTH => {
                self.0.push(name);
            }
            // An end tag of another element is ignored.
            XmlEvent::End(name) if self.0.last() == Some(name) => {
                self.0.pop();
            }
            _ => {}
        }
    }

    fn ends_with(&self, path: &[&str]) -> bool {
        self.0.ends_with(path)
    }
}

/// A Maven dependency as the manifest writes it.
#[derive(Clone, Copy, Default)]
struct MavenDependency<'a> {
    group: &'a str,
    artifact: &'a str,
    version: &'a str,
}

/// Reads the project and the dependencies of a `pom.xml`.
pub(super) fn read_maven(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Maven);
    let Some(text) = source.manifest_text(path) else { return names };
    let located = LocatedText::new(&text);
    let mut open = ElementPath::default();
    let (mut group, mut artifact, mut parent_group) = ("", "", "");
    let mut properties: BTreeMap<&str, &str> = BTreeMap::new();
    let mut dependency = MavenDependency::default();
    let mut dependencies: Vec<MavenDependency<'_>> = Vec::new();
    for event in xml_events(&text) {
        if let XmlEvent::Text(value) = event {
            match open.0.as_slice() {
                ["project", "groupId"] => group = value,
                ["project", "artifactId"] => artifact = value,
                ["project", "parent", "groupId"] => parent_group = value,
                ["project", "properties", property] => _ = properties.insert(property, value),
                [.., "dependency", "groupId"] => dependency.group = value,
                [.., "dependency", "artifactId"] => dependency.artifact = value,
                [.., "dependency", "version"] => dependency.version = value,
                _ => {}
            }
        }
        if matches!(event, XmlEvent::End("dependency")) && open.ends_with(&["dependency"]) {
            dependencies.push(std::mem::take(&mut dependency));
        }
        open.apply_event(&event);
    }
    let group = if group.is_empty() { parent_group } else { group };
    if !group.is_empty() && !artifact.is_empty() {
        names.add_defined(&format!("{group}:{artifact}"), located.line_of(artifact));
    }
    for MavenDependency { group: dependency_group, artifact, version } in dependencies {
        let is_own = matches!(dependency_group, "${project.groupId}" | "${groupId}");
        let dependency_group = if is_own { group } else { dependency_group };
        let property = version.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        let version = property.and_then(|name| properties.get(name).copied()).unwrap_or(version);
        names.add_dependency(&format!("{dependency_group}:{artifact}"), located.line_of(artifact), version);
    }
    names
}

/// Reads the project and the references of a .NET project file.
pub(super) fn read_nuget(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Nuget);
    let Some(text) = source.manifest_text(path) else { return names };
    let located = LocatedText::new(&text);
    let mut open = ElementPath::default();
    for event in xml_events(&text) {
        match event {
            XmlEvent::Start {
                name: "PackageReference" | "FrameworkReference" | "PackageVersion",
                attributes,
                ..
            } => {
                let name =
                    attribute_value(attributes, "Include").or_else(|| attribute_value(attributes, "Update"));
                let version = attribute_value(attributes, "Version")
                    .or_else(|| attribute_value(attributes, "VersionOverride"));
                if let Some(name) = name {
                    names.add_dependency(name, located.line_of(name), version.unwrap_or_default());
                }
            }
            XmlEvent::Start { name: "ProjectReference", attributes, .. } => {
                names.dependencies.extend(project_reference(attributes, path, &located));
            }
            // An SDK such as `Microsoft.NET.Sdk.Web` includes the whole web framework.
            XmlEvent::Start { name: "Project", attributes, .. } => {
                if let Some(sdk) = attribute_value(attributes, "Sdk").and_then(|sdk| sdk.split('/').next()) {
                    names.add_dependency(sdk, located.line_of(sdk), "");
                }
            }
            XmlEvent::Text(name) if open.ends_with(&["PackageId"]) || open.ends_with(&["AssemblyName"]) => {
                names.add_defined(name, located.line_of(name));
            }
            XmlEvent::Text(version) if open.ends_with(&["PackageReference", "Version"]) => {
                if let Some(last) = names.dependencies.last_mut() {
                    *last = DeclaredDependency::from_registry(&last.name, last.line, version);
                }
            }
            _ => {}
        }
        open.apply_event(&event);
    }
    // By default, a project has the name of its file.
    if let Some(name) = file_name(path).strip_suffix(".csproj") {
        names.add_defined(name, 0);
    }
    names
}

/// Returns the dependency on another project of the workspace, by the path of its file.
fn project_reference(attributes: &str, path: &str, located: &LocatedText<'_>) -> Option<DeclaredDependency> {
    let include = attribute_value(attributes, "Include")?;
    let project = join_relative(parent_folder(path), &include.replace('\\', "/"))?;
    let name = file_name(&project).strip_suffix(".csproj")?;
    let declared = DeclaredDependency::from_registry(name, located.line_of(include), "");
    Some(DeclaredDependency { origin: DependencyOrigin::Path(project.clone()), ..declared })
}
