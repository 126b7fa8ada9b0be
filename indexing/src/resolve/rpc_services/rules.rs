//! The rules of `rpc.toml` about generated RPC code, and the matching of paths and names against
//! them.

use crate::resolve::lang::family::LanguageFamily;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::sync::LazyLock;

/// A list of globs or service patterns. `rpc.toml` separates them by spaces.
#[derive(Deserialize, Default)]
#[serde(from = "String")]
pub(super) struct GlobPatterns(Vec<String>);

impl From<String> for GlobPatterns {
    fn from(text: String) -> Self {
        Self(text.split_whitespace().map(str::to_owned).collect())
    }
}

impl GlobPatterns {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether a name matches one of these globs.
    pub fn matches_name(&self, name: &str) -> bool {
        self.iter().any(|glob| matches_glob(glob, name))
    }

    /// Whether a segment of a path matches one of these globs.
    pub fn matches_path_segment(&self, path: &str) -> bool {
        !self.is_empty() && path_segments(path).any(|segment| self.matches_name(segment))
    }

    /// Returns the first of these patterns that matches the end of a path, with the service that
    /// the path names.
    pub fn match_service<'s>(&'s self, path: &'s str) -> Option<ServiceMatch<'s>> {
        self.iter().find_map(|pattern| Some(ServiceMatch { pattern, service: match_pattern(pattern, path)? }))
    }

    /// Whether a path that ends with this name may match one of these patterns.
    pub fn may_match_name(&self, name: &str) -> bool {
        self.iter().any(|pattern| {
            let last_segment = pattern.rsplit('.').next().unwrap_or(pattern);
            match_segment(last_segment, name)
                .is_some_and(|found| !last_segment.contains("{}") || is_service_name(found))
        })
    }
}

/// A service, with the pattern that matched it.
#[derive(Clone, Copy)]
pub(super) struct ServiceMatch<'s> {
    pub pattern: &'s str,
    pub service: &'s str,
}

impl ServiceMatch<'_> {
    /// Returns the part of a path before the segments that the pattern matches.
    pub fn prefix_before<'p>(&self, path: &'p str) -> &'p str {
        self.pattern.split('.').fold(path, |path, _| path.rfind(SEPARATORS).map_or("", |end| &path[..end]))
    }

    /// Returns the first segment of the pattern, filled in for this service: the name of a module.
    pub fn module_name(&self) -> String {
        let first = self.pattern.split('.').next().unwrap_or("");
        first.replace(SNAKE, &to_snake_case(self.service)).replace("{}", self.service)
    }
}

/// The rules for one kind of generated code. `rpc.toml` documents the fields.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RpcRules {
    pub server: GlobPatterns,
    pub client: GlobPatterns,
    pub serve: GlobPatterns,
    pub connect: GlobPatterns,
    pub given: GlobPatterns,
    pub other: GlobPatterns,
    pub within: GlobPatterns,
    pub files: GlobPatterns,
    pub nested: bool,
    pub unseen: bool,
    pub imports: GlobPatterns,
    pub takes: GlobPatterns,
    pub passed: GlobPatterns,
    pub arguments: Option<u8>,
}

static RULES: LazyLock<FxHashMap<String, Vec<RpcRules>>> = LazyLock::new(|| {
    toml::from_str(include_str!("../../../rpc.toml")).expect("the embedded rpc.toml is checked by a test")
});

/// Returns the rules of a family; an empty list if it has none.
pub(super) fn rules_for_family(family: LanguageFamily) -> &'static [RpcRules] {
    RULES.get(family.toml_key()).map_or(&[], Vec::as_slice)
}

/// Placeholder in a pattern for the service's name in snake case.
const SNAKE: &str = "{snake}";

/// Separators of the segments of a path.
const SEPARATORS: [char; 2] = ['.', '/'];

fn path_segments(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split(SEPARATORS)
}

fn is_service_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// Matches the end of a path against a pattern. Returns the service that the path names.
fn match_pattern<'p>(pattern: &str, path: &'p str) -> Option<&'p str> {
    let (mut service, mut snake_case_name): (Option<&str>, Option<&str>) = (None, None);
    let mut segments = path_segments(path).rev();
    for part in pattern.rsplit('.') {
        let segment = segments.next()?;
        if let Some((before, after)) = part.split_once(SNAKE) {
            snake_case_name = Some(segment.strip_prefix(before)?.strip_suffix(after)?);
            continue;
        }
        let found = match_segment(part, segment)?;
        if part.contains("{}") {
            if service.is_some_and(|known| known != found) {
                return None;
            }
            service = Some(found);
        }
    }
    let service = service.filter(|service| is_service_name(service))?;
    snake_case_name.is_none_or(|written| written == to_snake_case(service)).then_some(service)
}

/// Returns a service's name as tonic writes it in module names: with `_` before every capital
/// except the first.
fn to_snake_case(service: &str) -> String {
    let mut out = String::new();
    for letter in service.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// Matches a segment of a path against a segment of a pattern. Returns the text that `{}` or `*`
/// matches, or the whole segment if the pattern has neither.
fn match_segment<'p>(pattern: &str, segment: &'p str) -> Option<&'p str> {
    let Some((before, after)) = pattern.split_once("{}").or_else(|| pattern.split_once('*')) else {
        return (pattern == segment).then_some(segment);
    };
    let inner = segment.strip_prefix(before)?.strip_suffix(after)?;
    (!inner.is_empty()).then_some(inner)
}

/// Whether a name matches a glob, in which `*` matches any text, including none.
fn matches_glob(glob: &str, name: &str) -> bool {
    let Some((before, mut glob)) = glob.split_once('*') else { return glob == name };
    let Some(mut rest) = name.strip_prefix(before) else { return false };
    while let Some((part, after)) = glob.split_once('*') {
        let Some(at) = rest.find(part) else { return false };
        (rest, glob) = (&rest[at + part.len()..], after);
    }
    rest.ends_with(glob)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_extract_the_service_name() {
        for (pattern, path, service) in [
            ("Unimplemented{}Server", "m/pb.UnimplementedGreeterServer", Some("Greeter")),
            ("Unimplemented{}Server", "m/pb.UnimplementedServer", None),
            ("{}.{}Base", "Helloworld.Greeter.GreeterBase", Some("Greeter")),
            ("{}.{}Base", "Greeter.OtherBase", None),
            ("{snake}_server.{}", "hello.greeter_server.Greeter", Some("Greeter")),
            ("{snake}_server.{}", "hello.route_guide_server.RouteGuide", Some("RouteGuide")),
            ("{snake}_server.{}", "crate.http_server.Handler", None),
            ("{snake}_client.{}Client.new", "a.greeter_client.GreeterClient.new", Some("Greeter")),
            ("{}.Stub.new", "Helloworld.Greeter.Stub.new", Some("Greeter")),
            ("{}.Stub.new", "Stub.new", None),
            ("{}Service", "./gen/hello_grpc_pb.GreeterService", Some("Greeter")),
        ] {
            assert_eq!(match_pattern(pattern, path), service, "{pattern} {path}");
        }
    }

    #[test]
    fn the_prefix_excludes_the_matched_segments() {
        let prefix = |pattern, path| ServiceMatch { pattern, service: "" }.prefix_before(path);
        assert_eq!(prefix("{snake}_client.{}Client.new", "sdk.grpc_client.GrpcClient.new"), "sdk");
        assert_eq!(prefix("New{}Client", "m/gen/hello.NewGreeterClient"), "m/gen/hello");
        assert_eq!(prefix("{}.Stub.new", "Stub.new"), "");
    }

    #[test]
    fn globs_match_whole_names() {
        for (glob, name, matches) in [
            ("*pb", "hellopb", true),
            ("*pb", "pb", true),
            ("*pb", "pbx", false),
            ("gen", "agent", false),
            ("*grpc*", "my_grpc_api", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches_glob(glob, name), matches, "{glob} {name}");
        }
    }

    #[test]
    fn every_family_has_rules_that_name_services() {
        let families = [
            LanguageFamily::Go,
            LanguageFamily::Python,
            LanguageFamily::Script,
            LanguageFamily::Rust,
            LanguageFamily::Java,
            LanguageFamily::CSharp,
            LanguageFamily::Ruby,
        ];
        assert_eq!(RULES.len(), families.len());
        for family in families {
            assert!(!rules_for_family(family).is_empty(), "{}", family.toml_key());
            for rules in rules_for_family(family) {
                let patterns = || rules.server.iter().chain(rules.client.iter()).chain(rules.given.iter());
                assert!(patterns().next().is_some() && patterns().all(|pattern| pattern.contains("{}")));
                assert_eq!(rules.given.is_empty(), rules.serve.is_empty() && rules.connect.is_empty());
            }
        }
    }
}
