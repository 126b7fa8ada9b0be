//! The words of shell commands in configuration: the files that they name and the container images
//! that they push.
//!
//! The commands are not parsed: their words are enough, because resolution keeps only files that
//! exist.

/// Maximum number of files taken from one script. Generated scripts list thousands.
const MAX_FILES: usize = 50;

/// Returns the words of a script that are written like the path of a file: with a slash, or with an
/// extension after an interpreter.
pub(super) fn named_files(script: &str) -> Vec<&str> {
    let mut files = Vec::new();
    for line in command_lines(script) {
        let words: Vec<&str> = words_of_line(line).collect();
        for (at, word) in words.iter().enumerate() {
            let has_name =
                word.rsplit('/').next().is_some_and(|name| name.contains(|c: char| c.is_alphanumeric()));
            let is_path =
                word.contains('/') || (at > 0 && !words[at - 1].contains('.') && word.contains('.'));
            if has_name && is_path && is_written_as_path(word) {
                files.push(*word);
            }
        }
    }
    files.truncate(MAX_FILES);
    files
}

/// Whether a word has only characters of relative paths.
fn is_written_as_path(word: &str) -> bool {
    !word.starts_with(['/', '-', '~'])
        && !word.contains("//")
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-'))
}

/// Returns the images that a script pushes: the argument of `docker push`, and the tags of builds
/// that push.
pub(super) fn pushed_images(script: &str) -> Vec<&str> {
    let mut images = Vec::new();
    for line in command_lines(script) {
        let words: Vec<&str> = words_of_line(line).collect();
        let Some(tool) = words.iter().position(|word| matches!(*word, "docker" | "podman" | "buildah"))
        else {
            continue;
        };
        let arguments = &words[tool + 1..];
        if arguments.first() == Some(&"push") {
            images.extend(arguments[1..].iter().find(|word| !word.starts_with('-')));
        } else if arguments.contains(&"--push") {
            let is_tag = |pair: &&[&str]| matches!(pair[0], "-t" | "--tag");
            images.extend(arguments.windows(2).filter(is_tag).map(|pair| pair[1]));
        }
    }
    images
}

/// Returns the commands of a script as lines; a backslash at the end continues a line.
fn command_lines(script: &str) -> impl Iterator<Item = &str> {
    let mut rest = script;
    std::iter::from_fn(move || {
        let mut end = 0;
        loop {
            let line = rest[end..].find('\n').map_or(rest.len(), |at| end + at + 1);
            let is_continued = rest[..line].trim_end().ends_with('\\') && line < rest.len();
            end = line;
            if !is_continued {
                break;
            }
        }
        let (line, after) = rest.split_at(end);
        rest = after;
        (!line.is_empty()).then_some(line)
    })
    .flat_map(|line| line.split(['&', '|', ';']))
    .filter(|line| !line.trim_start().starts_with('#'))
}

fn words_of_line(line: &str) -> impl Iterator<Item = &str> {
    let separators =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | ')' | '=' | '>' | '<' | '`');
    line.split(separators).filter(|word| !word.is_empty() && *word != "\\")
}

/// Returns the name of an image without its tag and digest. Images of the default registry get
/// their short names. Returns `None` for `scratch` and for a text that is not a literal image name.
pub(crate) fn image_name(reference: &str) -> Option<&str> {
    let name = reference.split('@').next()?;
    let after_slash = name.rfind('/').map_or(0, |at| at + 1);
    let name = name[after_slash..].find(':').map_or(name, |at| &name[..after_slash + at]);
    let name =
        ["docker.io/", "index.docker.io/"].iter().find_map(|host| name.strip_prefix(host)).unwrap_or(name);
    let name = name.strip_prefix("library/").unwrap_or(name);
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "/._-:".contains(c);
    let is_name = name.chars().all(is_part) && name.starts_with(|c: char| c.is_ascii_alphanumeric());
    (is_name && name != "scratch").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_name_files_and_push_images() {
        let script = "# ./not/this.sh\n./scripts/deploy.sh --to prod && python tools/check.py\nbash run.sh\ncurl https://a.b/c.sh | sh\ncd src/ \ndocker build \\\n  --push -t ghcr.io/acme/orders:1 .\ndocker push \"acme/web:$TAG\"\ngo test ./...\n";
        assert_eq!(named_files(script), ["./scripts/deploy.sh", "tools/check.py", "run.sh"]);
        assert_eq!(pushed_images(script), ["ghcr.io/acme/orders:1", "acme/web:$TAG"]);
    }

    #[test]
    fn images_have_names_without_tags() {
        let names = [
            "ghcr.io/acme/orders:1.2",
            "postgres:17",
            "docker.io/library/redis@sha256:ab",
            "host:5000/a/b:c",
            "scratch",
            "acme/web:$TAG",
            "$IMAGE",
            "Not An Image",
            "",
        ]
        .map(image_name);
        let expected = [
            Some("ghcr.io/acme/orders"),
            Some("postgres"),
            Some("redis"),
            Some("host:5000/a/b"),
            None,
            Some("acme/web"),
            None,
            None,
            None,
        ];
        assert_eq!(names, expected);
    }
}
