//! The notations in which test runners read names of tests.

use serde::Deserialize;

/// The notation of a name or path that a runner gets. Characters with a meaning in it are escaped.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum NameFilter {
    /// The text itself.
    #[default]
    Plain,
    /// A regular expression.
    Regex,
    /// A regular expression between slashes.
    SlashedRegex,
    /// A regular expression in which dots stay as they are, because they also match themselves.
    /// Paths remain readable.
    PathRegex,
    /// A pattern of Lua.
    LuaPattern,
    /// A value in the filter expressions of `dotnet test`.
    DotnetFilter,
}

impl NameFilter {
    /// Returns the text that matches `name`.
    pub fn escape_name(self, name: &str) -> String {
        let (mark, special) = match self {
            Self::Plain => return name.to_owned(),
            Self::Regex => ('\\', r"\.+*?()|[]{}^$"),
            Self::SlashedRegex => ('\\', r"\.+*?()|[]{}^$/"),
            Self::PathRegex => ('\\', r"\+*?()|[]{}^$"),
            Self::LuaPattern => ('%', "^$()%.[]*+-?"),
            Self::DotnetFilter => ('\\', r"\()&|=!~"),
        };
        let mut out = String::with_capacity(name.len() + 8);
        let mut rest = name;
        let is_regex = matches!(self, Self::Regex | Self::SlashedRegex | Self::PathRegex);
        if let Some(after) = name.strip_prefix('-').filter(|_| is_regex) {
            // The runner would take the pattern for an option.
            out.push_str("[-]");
            rest = after;
        }
        for c in rest.chars() {
            if special.contains(c) {
                out.push(mark);
            }
            out.push(c);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::NameFilter::{self, *};

    #[test]
    fn characters_with_a_meaning_are_escaped_in_each_notation() {
        let escaped = |filter: NameFilter| filter.escape_name("-a.b (c|d) [1]/%2=~");
        assert_eq!(escaped(Plain), "-a.b (c|d) [1]/%2=~");
        assert_eq!(escaped(Regex), r"[-]a\.b \(c\|d\) \[1\]/%2=~");
        assert_eq!(escaped(SlashedRegex), r"[-]a\.b \(c\|d\) \[1\]\/%2=~");
        assert_eq!(escaped(PathRegex), r"[-]a.b \(c\|d\) \[1\]/%2=~");
        assert_eq!(escaped(LuaPattern), "%-a%.b %(c|d%) %[1%]/%%2=~");
        assert_eq!(escaped(DotnetFilter), r"-a.b \(c\|d\) [1]/%2\=\~");
    }
}
