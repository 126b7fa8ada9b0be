//! Paths in a workspace. They are relative to its root, separate parts with `/`, and contain no `.`
//! or `..`. The root is the empty path.

/// Returns the folder that holds a path; empty at the root.
pub fn parent_folder(path: &str) -> &str {
    // This is faster than `rsplit_once`, and resolution calls it for every name.
    let end = path.bytes().rposition(|byte| byte == b'/').unwrap_or(0);
    &path[..end]
}

/// Returns the last part of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Splits a path into its folder and its last part.
pub fn split_folder(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Returns the path of `name` in `folder`. If either is empty, returns the other.
pub fn join_path(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, name) => [folder, "/", name].concat(),
    }
}

/// Joins a relative path with `.` and `..` parts to a folder. Returns `None` if the path leads out
/// of the workspace.
pub fn join_relative(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns the part of `path` below `folder`: empty for the folder itself, `None` outside it.
pub fn path_below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    if folder.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(folder)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// Whether two files are in the same folder.
pub fn is_same_folder(a: &str, b: &str) -> bool {
    parent_folder(a) == parent_folder(b)
}

/// Whether a path is in a folder or below it.
pub fn lies_in_folder(path: &str, folder: &str) -> bool {
    path_below(path, folder).is_some()
}

/// Returns the folders that hold a path, the nearest first, without the root.
pub fn parent_folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(parent_folder(path)), |folder| Some(parent_folder(folder)))
        .take_while(|folder| !folder.is_empty())
}

/// Whether a part of a path matches a pattern with at most one `*`.
pub fn matches_name_pattern(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_part_of_a_name() {
        assert!(
            matches_name_pattern("*.sln", "a.sln")
                && !matches_name_pattern("*.sln", "sln")
                && matches_name_pattern("go.mod", "go.mod")
        );
    }

    #[test]
    fn paths_are_split_and_joined() {
        assert_eq!(
            (parent_folder("a/b/c.rs"), parent_folder("c.rs"), file_name("a/b/c.rs")),
            ("a/b", "", "c.rs")
        );
        assert_eq!((split_folder("a/b/c.rs"), split_folder("c.rs")), (("a/b", "c.rs"), ("", "c.rs")));
        assert_eq!([join_path("a", "b"), join_path("", "b"), join_path("a", "")], ["a/b", "b", "a"]);
        assert_eq!(parent_folders("a/b/c.rs").collect::<Vec<_>>(), ["a/b", "a"]);
        assert_eq!(parent_folders("c.rs").count(), 0);
    }

    #[test]
    fn relative_paths_stay_in_the_workspace() {
        assert_eq!(join_relative("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(join_relative("a", "../..").as_deref(), None);
        assert_eq!(path_below("a/b", "a"), Some("b"));
        assert_eq!(
            (path_below("a", "a"), path_below("ab", "a"), path_below("a", "")),
            (Some(""), None, Some("a"))
        );
    }
}
