//! Stores of packages outside the workspace (`site-packages`, `node_modules`, ...), and the package
//! that a path in a store belongs to.

use serde::Deserialize;

/// A location where packages are installed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageStore {
    /// The part of a path before the package; `*` matches one folder or a part of its name.
    pub after: String,
    /// The layout of the rest of the path.
    pub layout: StoreLayout,
}

/// The rule that derives a package from the path of a file in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreLayout {
    /// `golang.org/x/net@v0.1.0/html/parse.go` is `golang.org/x/net/html`; `!a` stands for `A`.
    GoModule,
    /// The package is the folder of the file.
    Folder,
    /// `werkzeug/routing/map.py` is `werkzeug.routing.map`; the module `builtins` belongs to the
    /// language itself.
    PythonModule,
    /// As `PythonModule`, but below a folder with the name of a distribution:
    /// `requests/requests/api.pyi` is `requests.api`.
    PythonStub,
    /// `@scope/name/...` is `@scope/name`; the types in `@types/name` belong to `name`.
    NodePackage,
    /// `serde-1.0.2/src/de.rs` is `serde`.
    CargoCrate,
    /// `std/src/fs.rs` is `std`.
    RustLibrary,
    /// `java.util(List.class` is `java.util`.
    JavaClass,
    /// `net/http.rb` is `net/http`.
    RubyFile,
    /// The file belongs to the language itself and has no package.
    BuiltIn,
}

impl PackageStore {
    /// Returns the rest of a path after the store's own part. Returns `None` if the path is not in
    /// the store.
    fn path_in_store<'p>(&self, path: &'p str) -> Option<&'p str> {
        let Some((before, after)) = self.after.split_once('*') else {
            return path.rfind(&self.after).map(|at| &path[at + self.after.len()..]);
        };
        let at = path.find(before)? + before.len();
        let mut rest = &path[at..];
        // Each `*` matches the part of a folder's name up to the next literal text.
        for part in after.split('*') {
            let part_at = rest.find(part)?;
            if rest[..part_at].contains('/') {
                return None;
            }
            rest = &rest[part_at + part.len()..];
        }
        Some(rest)
    }
}

/// Returns the package of a file outside the workspace, according to the first store that contains
/// the file. Returns `None` if no store contains it.
pub fn package_of_path(stores: &[PackageStore], path: &str) -> Option<String> {
    let path = path.replace('\\', "/");
    stores.iter().find_map(|store| store.path_in_store(&path).map(|rest| package_name(store.layout, rest)))
}

fn package_name(layout: StoreLayout, rest: &str) -> String {
    let folder = kenning_graph::paths::parent_folder(rest);
    match layout {
        StoreLayout::BuiltIn => String::new(),
        StoreLayout::Folder => folder.to_owned(),
        StoreLayout::GoModule => go_package(folder),
        StoreLayout::PythonModule => python_module(rest),
        StoreLayout::PythonStub => python_module(rest.split_once('/').map_or(rest, |(_, rest)| rest)),
        StoreLayout::NodePackage => node_package(rest),
        StoreLayout::CargoCrate => {
            let name = rest.split('/').next().unwrap_or(rest);
            let end = name.rfind('-').filter(|&at| name[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
            name[..end.unwrap_or(name.len())].replace('-', "_")
        }
        StoreLayout::RustLibrary => rest.split('/').next().unwrap_or(rest).to_owned(),
        StoreLayout::JavaClass => rest.split(['(', '/']).next().unwrap_or(rest).to_owned(),
        StoreLayout::RubyFile => rest.strip_suffix(".rb").unwrap_or(rest).to_owned(),
    }
}

fn go_package(folder: &str) -> String {
    let mut package = String::new();
    for (i, part) in folder.split('/').enumerate() {
        if i > 0 {
            package.push('/');
        }
        let mut capital = false;
        for c in part.split('@').next().unwrap_or(part).chars() {
            match (c, capital) {
                ('!', false) => capital = true,
                (c, true) => {
                    package.extend(c.to_uppercase());
                    capital = false;
                }
                (c, false) => package.push(c),
            }
        }
    }
    package
}

fn python_module(rest: &str) -> String {
    let stem =
        ["pyi", "py", "so"].iter().find_map(|end| rest.strip_suffix(&format!(".{end}"))).unwrap_or(rest);
    let stem = stem.strip_suffix("/__init__").unwrap_or(stem);
    let parts: Vec<&str> = stem.split('/').map(|part| part.strip_suffix("-stubs").unwrap_or(part)).collect();
    if parts == ["builtins"] { String::new() } else { parts.join(".") }
}

fn node_package(rest: &str) -> String {
    let mut parts = rest.split('/');
    match (parts.next().unwrap_or(""), parts.next()) {
        ("@types", Some(name)) => match name.split_once("__") {
            Some((scope, name)) => format!("@{scope}/{name}"),
            None if name == "node" => {
                // Each file of Node's own types is a module.
                let module = rest.rsplit_once("node/").map_or("", |(_, module)| module);
                module.strip_suffix(".d.ts").unwrap_or(module).to_owned()
            }
            None => name.to_owned(),
        },
        (scope, Some(name)) if scope.starts_with('@') => format!("{scope}/{name}"),
        (name, _) => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::language_by_id;
    use super::package_of_path;

    #[test]
    fn the_path_of_an_installed_file_yields_its_package() {
        for (language, path, package) in [
            (
                "go",
                "/h/go/pkg/mod/github.com/!burnt!sushi/toml@v1.3.2/internal/tz.go",
                "github.com/BurntSushi/toml/internal",
            ),
            ("go", "/usr/local/go/src/net/http/client.go", "net/http"),
            ("python", "/v/lib/python3.11/site-packages/werkzeug/routing/map.py", "werkzeug.routing.map"),
            ("python", "/v/site-packages/flask/__init__.py", "flask"),
            ("python", "/n/pyright/dist/typeshed/stdlib/os/path.pyi", "os.path"),
            ("python", "/n/dist/typeshed/stubs/requests/requests/api.pyi", "requests.api"),
            ("python", "/usr/lib/python3.11/json/decoder.py", "json.decoder"),
            ("typescript", "/p/node_modules/typescript/lib/lib.es5.d.ts", ""),
            ("tsx", "/p/node_modules/@types/react/index.d.ts", "react"),
            ("typescript", "/p/node_modules/@types/node/fs.d.ts", "fs"),
            ("typescript", "/p/node_modules/@types/babel__core/index.d.ts", "@babel/core"),
            ("typescript", "/p/node_modules/@hono/zod/dist/i.d.ts", "@hono/zod"),
            ("rust", "/h/.cargo/registry/src/index.crates.io-6f17/serde-json-1.0.2/src/de.rs", "serde_json"),
            ("rust", "/r/lib/rustlib/src/rust/library/std/src/fs.rs", "std"),
            ("ruby", "/g/gems/rack-3.0.0/lib/rack/builder.rb", "rack/builder"),
            ("java", "jdt://contents/java.base/java.util(List.class", "java.util"),
        ] {
            let stores = &language_by_id(language).unwrap().stores;
            assert_eq!(package_of_path(stores, path).as_deref(), Some(package), "{path}");
        }
        assert_eq!(package_of_path(&language_by_id("go").unwrap().stores, "/elsewhere/x.go"), None);
    }
}
