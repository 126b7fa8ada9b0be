//! The routes of Rails, which `config/routes.rb` declares in a domain-specific language.
//!
//! Each statement is a method call. It adds routes (`get`, `resources`), or opens a block whose
//! scope adds a path or a module to the routes in it (`namespace`, `scope`). The blocks of concerns
//! are collected first and read wherever a statement includes them.

use super::call_arguments::{RouteArgument, RouteHandler, collect_arguments};
use super::framework_table::{ANY, VERBS, parse_http_method};
use super::path_template::{PathForm, PathUse, join_route_paths, normalize_route_path};
use super::router_origin::RouterOrigin;
use super::{FoundRoute, RouteScan, UsedFramework};
use crate::languages::ExpressionRule;
use rustc_hash::FxHashMap;
use tree_sitter::{Node, Tree};

/// Maximum depth of concerns that include one another. Concerns can include themselves.
const MAX_CONCERN_DEPTH: u32 = 3;

/// The seven actions of a resource: action, method, whether it applies to one member, suffix of the
/// path. `update` has two methods.
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

/// The settings of a block for the routes in it.
#[derive(Clone, Default)]
struct RailsScope {
    /// The byte at which the block ends.
    end: usize,
    /// The prefix of the paths.
    path: String,
    /// Modules of the controllers, each followed by `.`.
    modules: String,
    /// The controller of routes that name none.
    controller: String,
    /// The prefix of routes for one member of the surrounding resource.
    member: String,
    /// The prefix of routes for the whole collection.
    collection: String,
}

/// A block of routes, and the settings that apply to it.
struct RailsBlock<'t> {
    node: Node<'t>,
    scope: RailsScope,
}

/// A path and its `controller#action`, and the node that declares them.
struct RailsTarget<'t> {
    path: String,
    action: String,
    node: Node<'t>,
}

/// A route of one method to `controller#action`.
struct RailsRoute<'r> {
    method: &'r str,
    path: &'r str,
    action: &'r str,
}

/// The blocks of `concern :name do ... end`, by name.
type RailsConcerns<'t> = FxHashMap<String, Node<'t>>;

/// Reads all routes of a file.
pub(super) fn collect_rails_routes<'t>(scan: &mut RouteScan<'_, 't>, tree: &'t Tree) {
    let Some(used) = scan.used.iter().copied().find(|used| used.framework.rails) else { return };
    let mut concerns = RailsConcerns::default();
    let root = RailsBlock { node: tree.root_node(), scope: RailsScope::default() };
    collect_routes_below(scan, used, root, &mut concerns, 0);
}

/// Reads the routes below a node. The block of a concern is read wherever a statement includes the
/// concern, which may be in another concern.
fn collect_routes_below<'t>(
    scan: &mut RouteScan<'_, 't>,
    used: UsedFramework,
    root: RailsBlock<'t>,
    concerns: &mut RailsConcerns<'t>,
    depth: u32,
) {
    let mut stack = vec![RailsScope { end: usize::MAX, ..root.scope }];
    let mut cursor = root.node.walk();
    loop {
        let node = cursor.node();
        while stack.len() > 1 && stack.last().is_some_and(|outer| outer.end <= node.start_byte()) {
            stack.pop();
        }
        let mut visits_children = true;
        if matches!(scan.expressions.kinds.expression_rule(node.kind_id()), ExpressionRule::MethodCall(..))
            && node.child_by_field_name("receiver").is_none()
            && let Some(outer) = stack.last().cloned()
            && let Some(statement) = RailsStatement::parse_call(scan, node)
        {
            let block = node.child_by_field_name("block");
            if let Some(block) = block.filter(|_| statement.name == "concern") {
                concerns.extend(
                    statement.positional_names(scan).into_iter().take(1).map(|(name, _)| (name, block)),
                );
                visits_children = false;
            } else {
                let inner = statement.push_routes(scan, used, &outer);
                let included = statement.included_concerns(scan);
                for block in
                    included.iter().filter_map(|name| concerns.get(name).copied()).collect::<Vec<_>>()
                {
                    if depth < MAX_CONCERN_DEPTH {
                        let scope = inner.clone().unwrap_or_else(|| outer.clone());
                        let block = RailsBlock { node: block, scope };
                        collect_routes_below(scan, used, block, concerns, depth + 1);
                    }
                }
                if let Some((inner, block)) = inner.zip(block) {
                    stack.push(RailsScope { end: block.end_byte(), ..inner });
                }
            }
        }
        if visits_children && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// One statement of the routes language, which is a method call.
struct RailsStatement<'s, 't> {
    name: &'s str,
    node: Node<'t>,
    arguments: Vec<RouteArgument<'t>>,
}

impl<'s, 't> RailsStatement<'s, 't> {
    fn parse_call(scan: &RouteScan<'s, 't>, node: Node<'t>) -> Option<Self> {
        let name = scan.expressions.node_text(node.child_by_field_name("method")?);
        Some(Self { name, node, arguments: collect_arguments(&scan.expressions, node) })
    }

    /// Returns the words of an argument: a symbol, a string, or a list of them.
    fn argument_words(scan: &RouteScan<'s, 't>, node: Node) -> Vec<String> {
        let text = scan.expressions.node_text(node);
        let is_word_char = |c: char| c.is_alphanumeric() || "_/:#-*()".contains(c);
        let words = text.trim_start_matches("%i").trim_start_matches("%w").split(|c: char| !is_word_char(c));
        words.map(|word| word.trim_matches(':').to_owned()).filter(|word| !word.is_empty()).take(40).collect()
    }

    fn keyword_words(&self, scan: &RouteScan<'s, 't>, name: &str) -> Option<Vec<String>> {
        let found = self.arguments.iter().find(|argument| argument.keyword == name)?;
        Some(Self::argument_words(scan, found.node))
    }

    fn first_keyword_word(&self, scan: &RouteScan<'s, 't>, name: &str) -> Option<String> {
        self.keyword_words(scan, name)?.into_iter().next()
    }

    /// Returns the first word of each argument without a keyword.
    fn positional_names(&self, scan: &RouteScan<'s, 't>) -> Vec<(String, Node<'t>)> {
        let positional = self.arguments.iter().filter(|argument| argument.keyword.is_empty());
        positional
            .filter_map(|a| Some((Self::argument_words(scan, a.node).into_iter().next()?, a.node)))
            .collect()
    }

    /// Returns the concerns whose routes are included here: `resources :x, concerns: :y`,
    /// `concerns :y`.
    fn included_concerns(&self, scan: &RouteScan<'s, 't>) -> Vec<String> {
        if self.name == "concerns" {
            return self.positional_names(scan).into_iter().map(|(name, _)| name).collect();
        }
        self.keyword_words(scan, "concerns").unwrap_or_default()
    }

    /// Adds the routes of the statement. Returns the scope of its block, if the statement opens
    /// one.
    fn push_routes(
        &self,
        scan: &mut RouteScan<'s, 't>,
        used: UsedFramework,
        outer: &RailsScope,
    ) -> Option<RailsScope> {
        match self.name {
            "namespace" => {
                let (name, _) = self.positional_names(scan).into_iter().next()?;
                let path = self.first_keyword_word(scan, "path").unwrap_or_else(|| name.clone());
                let module = self.first_keyword_word(scan, "module").unwrap_or(name);
                Some(outer.with_path(&path).with_module(&module))
            }
            "scope" => {
                let path = self.positional_names(scan).into_iter().next().map(|(name, _)| name);
                let path = path.or_else(|| self.first_keyword_word(scan, "path")).unwrap_or_default();
                let inner = outer.with_path(&path);
                Some(match self.first_keyword_word(scan, "module") {
                    Some(module) => inner.with_module(&module),
                    None => inner,
                })
            }
            "controller" => {
                let (name, _) = self.positional_names(scan).into_iter().next()?;
                Some(RailsScope { controller: name, ..outer.clone() })
            }
            "member" => Some(RailsScope { path: outer.member.clone(), ..outer.clone() }),
            "collection" => Some(RailsScope { path: outer.collection.clone(), ..outer.clone() }),
            "resources" | "resource" => self.push_resource_routes(scan, used, outer),
            "root" => {
                let to = self
                    .first_keyword_word(scan, "to")
                    .or_else(|| Some(self.positional_names(scan).into_iter().next()?.0))?;
                push_action_route(
                    scan,
                    used,
                    outer,
                    RailsRoute { method: "GET", path: "/", action: &to },
                    self.node,
                );
                None
            }
            "match" => {
                let via = self.keyword_words(scan, "via").unwrap_or_default();
                let methods: Vec<&str> = via.iter().filter_map(|word| parse_http_method(word)).collect();
                let methods = if methods.is_empty() { vec![ANY] } else { methods };
                self.push_verb_routes(scan, used, outer, &methods);
                None
            }
            name => {
                let method = VERBS.into_iter().find(|verb| verb.eq_ignore_ascii_case(name))?;
                self.push_verb_routes(scan, used, outer, &[method]);
                None
            }
        }
    }

    /// Adds routes such as `get "/x", to: "users#show"`, `get "x" => "users#show"`, `get :recent`.
    fn push_verb_routes(
        &self,
        scan: &mut RouteScan<'s, 't>,
        used: UsedFramework,
        outer: &RailsScope,
        methods: &[&str],
    ) {
        let arrow = self.arguments.iter().find(|argument| argument.keyword.contains('/'));
        let mut targets: Vec<RailsTarget<'t>> = Vec::new();
        if let Some(arrow) = arrow {
            let action = scan.texts.evaluate_template(arrow.node).unwrap_or_default();
            targets.push(RailsTarget { path: arrow.keyword.clone(), action, node: arrow.node });
        }
        let to = self.first_keyword_word(scan, "to");
        let (controller, action) =
            (self.first_keyword_word(scan, "controller"), self.first_keyword_word(scan, "action"));
        let path_override = match self.first_keyword_word(scan, "on").as_deref() {
            Some("member") => Some(outer.member.as_str()),
            Some("collection") => Some(outer.collection.as_str()),
            _ => None,
        };
        for (path, node) in self.positional_names(scan) {
            let last = path.rsplit('/').next().unwrap_or(&path).to_owned();
            let action = to.clone().unwrap_or_else(|| {
                let controller = controller.as_ref().unwrap_or(&outer.controller);
                format!("{controller}#{}", action.as_ref().unwrap_or(&last))
            });
            targets.push(RailsTarget { path, action, node });
        }
        for RailsTarget { path, action, node } in targets {
            let Some(path) =
                normalize_route_path(&path.replace("(.:format)", ""), PathForm::Relative, PathUse::Served)
            else {
                continue;
            };
            let outer = RailsScope { path: path_override.unwrap_or(&outer.path).to_owned(), ..outer.clone() };
            for method in methods {
                push_action_route(
                    scan,
                    used,
                    &outer,
                    RailsRoute { method, path: &path, action: &action },
                    node,
                );
            }
        }
    }

    /// Adds the routes of the actions of a resource. Returns the scope of its block.
    fn push_resource_routes(
        &self,
        scan: &mut RouteScan<'s, 't>,
        used: UsedFramework,
        outer: &RailsScope,
    ) -> Option<RailsScope> {
        let plural = self.name == "resources";
        let (only, except) =
            (self.keyword_words(scan, "only"), self.keyword_words(scan, "except").unwrap_or_default());
        let mut inner = None;
        for (name, node) in self.positional_names(scan) {
            let path = self.first_keyword_word(scan, "path").unwrap_or_else(|| name.clone());
            let explicit = self.first_keyword_word(scan, "controller");
            let controller =
                explicit.unwrap_or_else(|| if plural { name.clone() } else { format!("{name}s") });
            let collection = normalize_route_path(&path, PathForm::Relative, PathUse::Served)
                .map(|path| join_route_paths(&outer.path, &path))?;
            let member = if plural { format!("{collection}/{{}}") } else { collection.clone() };
            let module = self.first_keyword_word(scan, "module");
            let outer = module.map_or_else(|| outer.clone(), |module| outer.with_module(&module));
            for (action, method, is_member, suffix) in ACTIONS {
                let is_selected = only.as_ref().is_none_or(|only| only.iter().any(|word| word == action));
                if !is_selected || except.iter().any(|word| word == action) || (!plural && action == "index")
                {
                    continue;
                }
                let path = format!("{}{suffix}", if is_member { &member } else { &collection });
                let at_root = RailsScope { path: String::new(), ..outer.clone() };
                push_action_route(
                    scan,
                    used,
                    &at_root,
                    RailsRoute { method, path: &path, action: &format!("{controller}#{action}") },
                    node,
                );
            }
            // A route in the block outside `member` and `collection` is below a member.
            inner = Some(RailsScope { path: member.clone(), member, collection, controller, ..outer });
        }
        inner
    }
}

impl RailsScope {
    fn with_path(&self, path: &str) -> Self {
        let path = normalize_route_path(path, PathForm::Relative, PathUse::Served).unwrap_or_default();
        Self { path: join_route_paths(&self.path, &path).trim_end_matches('/').to_owned(), ..self.clone() }
    }

    fn with_module(&self, module: &str) -> Self {
        let modules =
            module.split('/').filter(|part| !part.is_empty()).map(|part| format!("{}.", to_camel_case(part)));
        Self { modules: format!("{}{}", self.modules, modules.collect::<String>()), ..self.clone() }
    }
}

/// Adds a route to `controller#action`.
fn push_action_route<'t>(
    scan: &mut RouteScan<'_, 't>,
    used: UsedFramework,
    outer: &RailsScope,
    route: RailsRoute<'_>,
    at: Node<'t>,
) {
    let RailsRoute { method, path, action } = route;
    let Some((controller, action)) = action.split_once('#').filter(|(c, a)| !c.is_empty() && !a.is_empty())
    else {
        return;
    };
    let parts: Vec<String> = controller.split('/').map(to_camel_case).collect();
    let handler = format!("{}{}Controller.{action}", outer.modules, parts.join("."));
    let path = join_route_paths(&outer.path, path);
    let handler = Some(RouteHandler::Named(handler));
    scan.push_route(FoundRoute {
        used,
        method,
        path,
        origin: RouterOrigin::at_root(),
        handler,
        receiver: "",
        at,
    });
}

/// Converts `blog_posts` to `BlogPosts`.
fn to_camel_case(text: &str) -> String {
    text.split('_')
        .map(|part| {
            let mut chars = part.chars();
            chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
        })
        .collect()
}
