//! Parameters in the signature of a function: finds the position of a parameter by name or type.

use super::router_origin::has_word;

/// The position of the first parameter.
pub(super) const FIRST_PARAMETER: u8 = 0;

/// Parameters that are the receiver, for which a call passes no argument.
const RECEIVERS: [&str; 5] = ["self", "&self", "&mut self", "mut self", "cls"];

/// Returns the position of the parameter with the name or type `word` in the signature of the
/// function `name`: from 0, not counting the receiver.
pub(super) fn parameter_position(signature: &str, name: &str, word: &str) -> Option<u8> {
    let parameters =
        split_parameters(parameter_list(signature, name)).into_iter().filter(|text| !is_receiver(text));
    parameters.enumerate().find(|(_, text)| has_word(text, word)).and_then(|(at, _)| u8::try_from(at).ok())
}

fn is_receiver(text: &str) -> bool {
    RECEIVERS.contains(&text)
        || text.starts_with("self:")
        || (text.starts_with('&') && text.ends_with(" self"))
}

/// Returns the text between the brackets after a name, or the parameter before the arrow of a
/// function.
fn parameter_list<'t>(signature: &'t str, name: &str) -> &'t str {
    let Some(after_name) = text_after_name(signature, name) else { return "" };
    let rest = skip_generics(after_name.trim_start());
    let bracket = rest.find('(').unwrap_or(rest.len());
    if let Some(arrow) = rest.find("=>").filter(|arrow| *arrow < bracket) {
        // An arrow function may have one parameter without brackets: `app => ...`.
        let before = rest[..arrow].rsplit('=').next().unwrap_or("").trim();
        return before.strip_prefix("async ").unwrap_or(before);
    }
    let Some(inner) = rest.get(bracket + 1..) else { return "" };
    &inner[..closing_bracket(inner).unwrap_or(inner.len())]
}

/// Returns the text after the declared name. The type of a receiver before it may contain the same
/// name.
fn text_after_name<'t>(signature: &'t str, name: &str) -> Option<&'t str> {
    let is_declaration = |(at, _): &(usize, &str)| {
        let before = signature[..*at].chars().next_back();
        let rest = signature[at + name.len()..].trim_start();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
            && rest.starts_with(['(', '<', '[', '=', ':'])
    };
    let found =
        signature.match_indices(name).find(is_declaration).or_else(|| signature.match_indices(name).next());
    found.map(|(at, _)| &signature[at + name.len()..])
}

fn skip_generics(text: &str) -> &str {
    if !text.starts_with(['<', '[']) {
        return text;
    }
    // Treats the bracket as one directly after a name, because it follows a name in the signature.
    let end = bracket_depths_after(text, 'n').find(|(.., depth)| *depth == 0).map(|(at, ..)| at);
    end.and_then(|end| text.get(end + 1..)).unwrap_or(text)
}

/// Returns the position of the bracket that closes the one around the text.
fn closing_bracket(text: &str) -> Option<usize> {
    bracket_depths(text).find(|(.., depth)| *depth < 0).map(|(at, ..)| at)
}

/// Splits a list at the commas outside brackets.
fn split_parameters(list: &str) -> Vec<&str> {
    let commas = bracket_depths(list).filter(|(_, c, depth)| *c == ',' && *depth == 0).map(|(at, ..)| at);
    let mut parts = Vec::new();
    let mut start = 0;
    for end in commas.chain([list.len()]) {
        parts.push(list[start..end].trim());
        start = end + 1;
    }
    parts
}

/// Returns each character with its position and the number of open brackets after it. An angle
/// bracket counts only directly after a name; elsewhere `<` and `>` are comparisons or arrows.
fn bracket_depths(text: &str) -> impl Iterator<Item = (usize, char, i32)> {
    bracket_depths_after(text, ' ')
}

/// Returns the same as [`bracket_depths`] for a text that follows the character `before`.
fn bracket_depths_after(text: &str, mut before: char) -> impl Iterator<Item = (usize, char, i32)> {
    let (mut depth, mut angles) = (0, 0);
    text.char_indices().map(move |(at, c)| {
        let is_name = before.is_alphanumeric() || before == '_';
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '<' if is_name && !text[at..].starts_with("<-") => angles += 1,
            '>' if angles > 0 && !matches!(before, '=' | '-') => angles -= 1,
            _ => {}
        }
        before = c;
        (at, c, depth + angles)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_by_name_or_type() {
        for (signature, name, word, expected) in [
            ("func Register(pub, priv *gin.RouterGroup)", "Register", "pub", Some(0)),
            ("func Register(pub, priv *gin.RouterGroup)", "Register", "priv", Some(1)),
            ("func (r *Routes) Routes(g gin.IRouter) (err error)", "Routes", "g", Some(0)),
            ("func (r *Routes) Routes(g gin.IRouter) (err error)", "Routes", "r", None),
            ("func New() (router *mux.Router, err error)", "New", "router", None),
            ("func Map[K any](key K, r chi.Router)", "Map", "r", Some(1)),
            ("pub fn app(state: AppState) -> Router", "app", "Router", None),
            ("fn add(&self, cfg: &mut web::ServiceConfig)", "add", "ServiceConfig", Some(0)),
            ("fn add<F: Fn(u8) -> u8>(f: F, cfg: &mut ServiceConfig)", "add", "cfg", Some(1)),
            ("def register(self, app: FastAPI, prefix: str = \"a,b\")", "register", "app", Some(0)),
            ("function set(opts = { a: 1, b: [2, 3] }, app: Express)", "set", "app", Some(1)),
            ("export default function (app, done)", "default", "done", Some(1)),
            ("const set = async (next: () => void, app) =>", "set", "app", Some(1)),
            ("const set = async app => app.get()", "set", "app", Some(0)),
            ("const set = 1", "set", "app", None),
            ("func broken(a <<<(", "broken", "a", Some(0)),
            ("func Wait(stop <-chan int, out chan<- int, r *gin.RouterGroup)", "Wait", "r", Some(2)),
            ("function set(small = 1 < 2, large = 3 > 2, app)", "set", "app", Some(2)),
            ("function set(map: Map<string, Array<number>>, app: Express)", "set", "app", Some(1)),
        ] {
            assert_eq!(parameter_position(signature, name, word), expected, "{word} of {signature}");
        }
    }
}
