//! Java: declared packages, imports of types and of their members, and generated accessors. C#
//! shares the rules for imports and submodules.

use super::super::definition::{Definition, LookupScope, ModuleRef, Resolution};
use super::super::resolver::{ImportTarget, Resolver};
use super::super::same_name_symbols::FileRegion;
use super::super::tracked_snapshot::split_last_segment;
use kenning_graph::facts::ImportFact;
use kenning_graph::paths::parent_folder;
use kenning_graph::{SymbolKind, SymbolRef};

/// Lombok annotations that give a class accessors for its fields (Lombok's documentation, "Lombok
/// features").
const ACCESSOR_ANNOTATIONS: [&str; 5] = ["Data", "Getter", "Setter", "Value", "*"];

/// Returns the target of an import: a declared package, or the types at the end of the path.
pub(super) fn import_target<'a>(resolver: &Resolver<'a>, import: &ImportFact) -> ImportTarget<'a> {
    if !resolver.view.files_of_package(&import.path).is_empty() {
        return ImportTarget::Modules(vec![ModuleRef::Package(import.path.clone())]);
    }
    // In `import a.b.Outer.Inner` and `import static a.b.Type.member` the path ends in types.
    let (mut package, mut types) = (import.path.as_str(), Vec::new());
    while !package.is_empty() {
        let (outer, simple) = split_last_segment(package);
        types.push(simple);
        package = outer;
        if package.is_empty() || resolver.view.files_of_package(package).is_empty() {
            continue;
        }
        let mut found =
            Resolution::from_definitions(vec![Definition::Module(ModuleRef::Package(package.to_owned()))]);
        for name in types.iter().rev() {
            found = resolver.resolve_member(&found, name);
        }
        return if found.is_empty() { ImportTarget::Unknown } else { ImportTarget::Types(found.definitions) };
    }
    ImportTarget::External(import.path.clone())
}

/// Looks up a name in the other files of the package.
pub(super) fn resolve_unimported_name<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    name: &str,
) -> Resolution<'a> {
    let package = resolver.package_of_file(scope.path);
    if package.is_empty() {
        return resolver.top_level_in_region(FileRegion::Folder(parent_folder(scope.path)), name, |_| true);
    }
    (*resolver.resolve_export(&ModuleRef::Package(package.to_owned()), name)).clone()
}

/// Returns the package with this name below a package.
pub(super) fn find_submodules(resolver: &Resolver, module: &ModuleRef, name: &str) -> Vec<ModuleRef> {
    let ModuleRef::Package(package) = module else { return Vec::new() };
    let submodule = format!("{package}.{name}");
    if resolver.view.files_of_package(&submodule).is_empty() {
        Vec::new()
    } else {
        vec![ModuleRef::Package(submodule)]
    }
}

/// Returns the field behind a generated accessor, which no source contains. Returns nothing unless
/// the file of the type imports a generator of accessors.
pub(in super::super) fn find_generated_accessor<'a>(
    resolver: &Resolver<'a>,
    ty: &SymbolRef<'a>,
    name: &str,
) -> Resolution<'a> {
    let fields = accessor_field_names(name);
    if fields.is_empty() || !resolver.view.imports_of_file(ty.path).iter().any(generates_accessors) {
        return Resolution::not_found();
    }
    let fields_named = |field: &String| {
        let mut found = resolver.own_members(ty, field);
        found.definitions.retain(|m| matches!(m, Definition::Symbol(s) if s.kind == SymbolKind::Field));
        found
    };
    let mut found = fields.iter().map(fields_named).find(|found| !found.is_empty()).unwrap_or_default();
    // A setter does not return the field, and the value of a type parameter is unknown here.
    let is_known =
        |m: &Definition| matches!(m, Definition::Symbol(s) if !is_type_parameter_of(ty, s.type_text()));
    found.has_generated_accessor = !name.starts_with("set") && found.definitions.iter().all(is_known);
    found
}

/// Whether an import enables generated accessors for the classes of a file.
fn generates_accessors(import: &ImportFact) -> bool {
    let (package, simple) = split_last_segment(&import.path);
    (package == "lombok" && ACCESSOR_ANNOTATIONS.contains(&simple))
        || (import.path == "lombok" && ACCESSOR_ANNOTATIONS.contains(&import.name.as_str()))
}

/// Whether a type is a type parameter of another, according to the other's signature.
fn is_type_parameter_of(outer: &SymbolRef, ty: &str) -> bool {
    let parameters = outer.signature_text().split_once('<').map_or("", |(_, rest)| rest);
    parameters.split(['<', '>', ',']).any(|parameter| parameter.split_whitespace().next() == Some(ty))
}

/// Whether a field is a component of a record. The record has an accessor with the field's name.
pub(in super::super) fn is_record_component(resolver: &Resolver, field: &SymbolRef) -> bool {
    let ty = resolver.enclosing_type(LookupScope { path: field.path, container: field.container });
    ty.is_some_and(|ty| ty.kind == SymbolKind::Record)
}

/// Returns the names that the field of an accessor may have, the likeliest first. Returns nothing
/// if `name` is not an accessor name.
fn accessor_field_names(name: &str) -> Vec<String> {
    let is_boolean = name.starts_with("is");
    let rest = ["get", "set", "is"].iter().find_map(|verb| name.strip_prefix(verb)).unwrap_or("");
    let mut letters = rest.chars();
    let Some(first) = letters.next().filter(|first| first.is_uppercase()) else { return Vec::new() };
    let mut names = vec![first.to_lowercase().chain(letters).collect(), rest.to_owned()];
    // A boolean named `isDone` has the accessors `isDone` and `setDone`.
    names.push(if is_boolean { name.to_owned() } else { format!("is{rest}") });
    names
}
