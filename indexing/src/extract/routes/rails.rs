//! The routes of Rails: `config/routes.rb` is a language of its own.

use super::path::{join, normalised};
use super::roots::Root;
use super::table::{ANY, VERBS, verb};
use super::values::{Argument, Handler, arguments};
use super::{Found, Scan, Used};
use crate::languages::Rule;
use rustc_hash::FxHashMap;
use tree_sitter::{Node, Tree};

/// Concerns that name one another are followed this far.
const MAX_CONCERNS: u32 = 3;

/// The seven actions of a resource: action, method, whether it is about one member, what stands behind the path.
const ACTIONS: [(&str, &str, bool, &str); 8] = [
    ("index", "GET", false, ""),
    ("create", "POST", false, ""),
    ("new", "GET", false, "/new"),
    ("show", "GET", true, ""),
    ("update", "PATCH", true, ""),
    ("update", "PUT", true, ""),
    ("destroy", "DELETE", true, ""),
    ("edit", "GET", true, "/edit"),
];

/// What a block adds to the routes in it.
#[derive(Clone, Default)]
struct Around {
    end: usize,
    path: String,
    /// Modules of the controllers, each with `.` behind it.
    modules: String,
    /// The controller of the routes that name none.
    controller: String,
    /// What stands before the path of a route in a resource: of one member, or of all.
    member: String,
    collection: String,
}

/// The blocks of `concern :name do ... end`, by name.
type Concerns<'t> = FxHashMap<String, Node<'t>>;

/// Reads all routes of a file.
pub(super) fn read<'t>(scan: &mut Scan<'_, 't>, tree: &'t Tree) {
    let Some(used) = scan.used.iter().copied().find(|used| used.framework.rails) else { return };
    let mut concerns = Concerns::default();
    below(scan, used, (tree.root_node(), Around::default()), &mut concerns, 0);
}

/// Reads the routes below a node. What a concern holds is read where it is named, which may be in another.
fn below<'t>(
    scan: &mut Scan<'_, 't>,
    used: Used,
    (root, around): (Node<'t>, Around),
    concerns: &mut Concerns<'t>,
    depth: u32,
) {
    let mut stack = vec![Around { end: usize::MAX, ..around }];
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        while stack.len() > 1 && stack.last().is_some_and(|around| around.end <= node.start_byte()) {
            stack.pop();
        }
        let mut enters = true;
        if matches!(scan.x.kinds.rule(node.kind_id()), Rule::MethodCall(..))
            && node.child_by_field_name("receiver").is_none()
            && let Some(around) = stack.last().cloned()
            && let Some(statement) = Statement::read(scan, node)
        {
            let block = node.child_by_field_name("block");
            if let Some(block) = block.filter(|_| statement.name == "concern") {
                concerns.extend(statement.names(scan).into_iter().take(1).map(|(name, _)| (name, block)));
                enters = false;
            } else {
                let inner = statement.routes(scan, used, &around);
                let named = statement.concerns(scan);
                for block in named.iter().filter_map(|name| concerns.get(name).copied()).collect::<Vec<_>>() {
                    if depth < MAX_CONCERNS {
                        let around = inner.clone().unwrap_or_else(|| around.clone());
                        below(scan, used, (block, around), concerns, depth + 1);
                    }
                }
                if let Some((inner, block)) = inner.zip(block) {
                    stack.push(Around { end: block.end_byte(), ..inner });
                }
            }
        }
        if enters && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// One call of the routes' language.
struct Statement<'s, 't> {
    name: &'s str,
    node: Node<'t>,
    arguments: Vec<Argument<'t>>,
}

impl<'s, 't> Statement<'s, 't> {
    fn read(scan: &Scan<'s, 't>, node: Node<'t>) -> Option<Self> {
        let name = scan.x.text_of(node.child_by_field_name("method")?);
        Some(Self { name, node, arguments: arguments(&scan.x, node) })
    }

    /// The words that an argument names: a symbol, a string, or a list of them.
    fn words(scan: &Scan<'s, 't>, node: Node) -> Vec<String> {
        let text = scan.x.text_of(node);
        let part = |c: char| c.is_alphanumeric() || "_/:#-*()".contains(c);
        let words = text.trim_start_matches("%i").trim_start_matches("%w").split(|c: char| !part(c));
        words.map(|word| word.trim_matches(':').to_owned()).filter(|word| !word.is_empty()).take(40).collect()
    }

    fn keyword(&self, scan: &Scan<'s, 't>, name: &str) -> Option<Vec<String>> {
        let found = self.arguments.iter().find(|argument| argument.keyword == name)?;
        Some(Self::words(scan, found.node))
    }

    fn word(&self, scan: &Scan<'s, 't>, name: &str) -> Option<String> {
        self.keyword(scan, name)?.into_iter().next()
    }

    /// The arguments without keyword, as words.
    fn names(&self, scan: &Scan<'s, 't>) -> Vec<(String, Node<'t>)> {
        let plain = self.arguments.iter().filter(|argument| argument.keyword.is_empty());
        plain.filter_map(|a| Some((Self::words(scan, a.node).into_iter().next()?, a.node))).collect()
    }

    /// The concerns whose routes stand here: `resources :x, concerns: :y`, `concerns :y`.
    fn concerns(&self, scan: &Scan<'s, 't>) -> Vec<String> {
        if self.name == "concerns" {
            return self.names(scan).into_iter().map(|(name, _)| name).collect();
        }
        self.keyword(scan, "concerns").unwrap_or_default()
    }

    /// Adds the routes of the statement; gives what it adds to the routes in its block.
    fn routes(&self, scan: &mut Scan<'s, 't>, used: Used, around: &Around) -> Option<Around> {
        match self.name {
            "namespace" => {
                let (name, _) = self.names(scan).into_iter().next()?;
                let path = self.word(scan, "path").unwrap_or_else(|| name.clone());
                let module = self.word(scan, "module").unwrap_or(name);
                Some(around.below(&path).within(&module))
            }
            "scope" => {
                let path = self.names(scan).into_iter().next().map(|(name, _)| name);
                let path = path.or_else(|| self.word(scan, "path")).unwrap_or_default();
                let inner = around.below(&path);
                Some(match self.word(scan, "module") {
                    Some(module) => inner.within(&module),
                    None => inner,
                })
            }
            "controller" => {
                let (name, _) = self.names(scan).into_iter().next()?;
                Some(Around { controller: name, ..around.clone() })
            }
            "member" => Some(Around { path: around.member.clone(), ..around.clone() }),
            "collection" => Some(Around { path: around.collection.clone(), ..around.clone() }),
            "resources" | "resource" => self.resources(scan, used, around),
            "root" => {
                let to = self.word(scan, "to").or_else(|| Some(self.names(scan).into_iter().next()?.0))?;
                add(scan, used, around, ("GET", "/", &to), self.node);
                None
            }
            "match" => {
                let via = self.keyword(scan, "via").unwrap_or_default();
                let methods: Vec<&str> = via.iter().filter_map(|word| verb(word)).collect();
                let methods = if methods.is_empty() { vec![ANY] } else { methods };
                self.verbs(scan, used, around, &methods);
                None
            }
            name => {
                let method = VERBS.into_iter().find(|verb| verb.eq_ignore_ascii_case(name))?;
                self.verbs(scan, used, around, &[method]);
                None
            }
        }
    }

    /// `get "/x", to: "users#show"`, `get "x" => "users#show"`, `get :recent`.
    fn verbs(&self, scan: &mut Scan<'s, 't>, used: Used, around: &Around, methods: &[&str]) {
        let arrow = self.arguments.iter().find(|argument| argument.keyword.contains('/'));
        let mut pairs: Vec<(String, String, Node<'t>)> = Vec::new();
        if let Some(arrow) = arrow {
            let to = scan.texts.template(arrow.node).unwrap_or_default();
            pairs.push((arrow.keyword.clone(), to, arrow.node));
        }
        let to = self.word(scan, "to");
        let (controller, action) = (self.word(scan, "controller"), self.word(scan, "action"));
        let on = match self.word(scan, "on").as_deref() {
            Some("member") => Some(around.member.as_str()),
            Some("collection") => Some(around.collection.as_str()),
            _ => None,
        };
        for (name, node) in self.names(scan) {
            let last = name.rsplit('/').next().unwrap_or(&name).to_owned();
            let to = to.clone().unwrap_or_else(|| {
                let controller = controller.as_ref().unwrap_or(&around.controller);
                format!("{controller}#{}", action.as_ref().unwrap_or(&last))
            });
            pairs.push((name, to, node));
        }
        for (path, to, node) in pairs {
            let Some(path) = normalised(&path.replace("(.:format)", ""), true, false) else { continue };
            let around = Around { path: on.unwrap_or(&around.path).to_owned(), ..around.clone() };
            for method in methods {
                add(scan, used, &around, (method, &path, &to), node);
            }
        }
    }

    fn resources(&self, scan: &mut Scan<'s, 't>, used: Used, around: &Around) -> Option<Around> {
        let plural = self.name == "resources";
        let (only, except) = (self.keyword(scan, "only"), self.keyword(scan, "except").unwrap_or_default());
        let mut inner = None;
        for (name, node) in self.names(scan) {
            let path = self.word(scan, "path").unwrap_or_else(|| name.clone());
            let named = self.word(scan, "controller");
            let controller = named.unwrap_or_else(|| if plural { name.clone() } else { format!("{name}s") });
            let collection = normalised(&path, true, false).map(|path| join(&around.path, &path))?;
            let member = if plural { format!("{collection}/{{}}") } else { collection.clone() };
            let module = self.word(scan, "module");
            let around = module.map_or_else(|| around.clone(), |module| around.within(&module));
            for (action, method, of_member, behind) in ACTIONS {
                let wanted = only.as_ref().is_none_or(|only| only.iter().any(|word| word == action));
                if !wanted || except.iter().any(|word| word == action) || (!plural && action == "index") {
                    continue;
                }
                let path = format!("{}{behind}", if of_member { &member } else { &collection });
                let at_root = Around { path: String::new(), ..around.clone() };
                add(scan, used, &at_root, (method, &path, &format!("{controller}#{action}")), node);
            }
            // What stands in the block without `member` or `collection` is below one of them.
            inner = Some(Around { path: member.clone(), member, collection, controller, ..around });
        }
        inner
    }
}

impl Around {
    fn below(&self, path: &str) -> Self {
        let path = normalised(path, true, false).unwrap_or_default();
        Self { path: join(&self.path, &path).trim_end_matches('/').to_owned(), ..self.clone() }
    }

    fn within(&self, module: &str) -> Self {
        let modules =
            module.split('/').filter(|part| !part.is_empty()).map(|part| format!("{}.", camel(part)));
        Self { modules: format!("{}{}", self.modules, modules.collect::<String>()), ..self.clone() }
    }
}

/// Adds a route to `controller#action`.
fn add<'t>(
    scan: &mut Scan<'_, 't>,
    used: Used,
    around: &Around,
    (method, path, to): (&str, &str, &str),
    at: Node<'t>,
) {
    let Some((controller, action)) = to.split_once('#').filter(|(c, a)| !c.is_empty() && !a.is_empty())
    else {
        return;
    };
    let parts: Vec<String> = controller.split('/').map(camel).collect();
    let handler = format!("{}{}Controller.{action}", around.modules, parts.join("."));
    let path = join(&around.path, path);
    let handler = Some(Handler::Named(handler));
    scan.push(Found { used, method, path, root: Root::whole(), handler, receiver: "", at });
}

/// `blog_posts` as `BlogPosts`.
fn camel(text: &str) -> String {
    text.split('_')
        .map(|part| {
            let mut chars = part.chars();
            chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
        })
        .collect()
}
