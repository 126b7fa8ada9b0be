//! Routes written as decorators, annotations or attributes of the function that serves them.
//!
//! During the walk, `collect_decorators` records each decorator with the arguments that may be
//! paths. Afterwards, `collect_decorated_routes` groups them by symbol and asks the table of
//! frameworks which ones declare a route. A route's prefixes come from the decorators of the
//! enclosing type, or from the router that the decorator is called on.

use super::call_arguments::collect_arguments;
use super::framework_table::{ANY, HttpMethodSource, WebFramework};
use super::path_template::{join_route_paths, parse_route_path, strip_leading_hole};
use super::route_calls::{normalize_prefix, parse_http_methods};
use super::router_origin::RouterPrefix;
use super::string_evaluation::{HOLE, StringEvaluator};
use super::{FoundRoute, RouteScan, UsedFramework};
use kenning_graph::facts::SymbolFact;
use rustc_hash::FxHashMap;
use tree_sitter::Node;

/// Keywords of arguments that hold a path.
const PATH_KEYWORDS: [&str; 5] = ["value", "path", "rule", "url", "prefix"];
/// Maximum number of nodes visited in the arguments of one decorator. Decorators with API
/// descriptions contain large literals.
const MAX_NODES: usize = 60;

/// A decorator, annotation or attribute.
pub(super) struct RouteDecorator<'t> {
    name: String,
    receiver: String,
    node: Node<'t>,
    /// The arguments that may be paths.
    paths: Vec<PathArgument<'t>>,
    /// The text of the arguments from the word `method` on.
    methods: String,
}

/// An argument that may be a path.
struct PathArgument<'t> {
    keyword: String,
    /// The value of the argument; `None` if unknown.
    text: Option<String>,
    node: Node<'t>,
}

/// Adds the decorators in a node to `out`.
pub(super) fn collect_decorators<'t>(
    texts: &StringEvaluator,
    node: Node<'t>,
    out: &mut Vec<RouteDecorator<'t>>,
) {
    if matches!(node.kind(), "attribute_list" | "attribute_item") {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| child.kind() == "attribute") {
            out.extend(parse_decorator(texts, child));
        }
    } else {
        out.extend(parse_decorator(texts, node));
    }
}

fn parse_decorator<'t>(texts: &StringEvaluator, node: Node<'t>) -> Option<RouteDecorator<'t>> {
    let expressions = &texts.expressions;
    let expression = node.child_by_field_name("name").or_else(|| node.named_child(0))?;
    let (name, receiver) = expressions.split_receiver(expression)?;
    // The arguments are those of the decorator itself, or of the call that it consists of.
    let argument_node = if node.child_by_field_name("name").is_some() || node.kind() == "attribute" {
        node
    } else {
        expression
    };
    let text = expressions.node_text(argument_node);
    let methods = text.find("method").map_or("", |at| &text[at..]).to_owned();
    Some(RouteDecorator {
        name: expressions.node_text(name).to_owned(),
        receiver,
        node,
        paths: path_arguments(texts, argument_node),
        methods,
    })
}

/// Returns the arguments that may be paths.
fn path_arguments<'t>(texts: &StringEvaluator, argument_node: Node<'t>) -> Vec<PathArgument<'t>> {
    let expressions = &texts.expressions;
    let mut paths = Vec::new();
    let mut pending: Vec<(String, Node)> = collect_arguments(expressions, argument_node)
        .into_iter()
        .filter(|argument| argument.keyword.is_empty() || PATH_KEYWORDS.contains(&argument.keyword.as_str()))
        .map(|argument| (argument.keyword, argument.node))
        .rev()
        .collect();
    let mut seen = 0;
    while let Some((keyword, node)) = pending.pop() {
        seen += 1;
        if seen > MAX_NODES {
            break;
        }
        if node.kind() == "object" {
            let option = |key: &&str| {
                Some(((*key).to_owned(), super::call_arguments::object_entry(expressions, node, key)?))
            };
            pending.extend(PATH_KEYWORDS.iter().filter_map(option));
        } else if ["array", "list", "initializer", "tuple"].iter().any(|part| node.kind().contains(part)) {
            let mut cursor = node.walk();
            let children: Vec<Node> = node.named_children(&mut cursor).collect();
            pending.extend(children.into_iter().rev().map(|child| (keyword.clone(), child)));
        } else {
            paths.push(PathArgument { keyword, text: texts.evaluate_template(node), node });
        }
    }
    // The arguments of a macro are tokens; the first literal is the path.
    if let Some(tokens) =
        argument_node.child_by_field_name("arguments").filter(|list| list.kind() == "token_tree")
    {
        let mut cursor = tokens.walk();
        let literal = tokens.named_children(&mut cursor).find(|token| token.kind().contains("string"));
        paths = literal
            .map(|node| PathArgument { keyword: String::new(), text: texts.evaluate_template(node), node })
            .into_iter()
            .collect();
    }
    paths
}

impl<'t> RouteScan<'_, 't> {
    /// Reads the recorded decorators, grouped by the symbols that they decorate.
    pub(super) fn collect_decorated_routes(&mut self) {
        let decorators = std::mem::take(&mut self.decorators);
        let mut by_symbol: FxHashMap<u32, Vec<&RouteDecorator<'t>>> = FxHashMap::default();
        let mut order = Vec::new();
        for decorator in &decorators {
            let symbol = self.symbols.symbol_at(decorator.node.start_byte() as u32);
            let all = by_symbol.entry(symbol).or_default();
            if all.is_empty() {
                order.push(symbol);
            }
            all.push(decorator);
        }
        for symbol in order {
            let Some(fact) = self.symbols.facts.get(symbol as usize) else { continue };
            if !fact.kind.is_callable() {
                continue;
            }
            for used in self.used.clone() {
                let outer = fact.parent.and_then(|parent| by_symbol.get(&parent));
                self.push_symbol_routes(used, fact, &by_symbol[&symbol], outer.map_or(&[], Vec::as_slice));
            }
        }
    }

    fn push_symbol_routes(
        &mut self,
        used: UsedFramework,
        fact: &SymbolFact,
        decorators: &[&RouteDecorator<'t>],
        outer: &[&RouteDecorator<'t>],
    ) {
        let framework = used.framework;
        let gives_only_path = |d: &&&RouteDecorator<'t>| framework.paths.contains(&d.name);
        let is_required = |d: &&RouteDecorator<'t>| framework.only_in.contains_key(&d.name);
        if outer.iter().any(|d| framework.not_in.contains(&d.name))
            || !(framework.only_in.is_empty() || outer.iter().any(is_required))
        {
            return;
        }
        let has_method = decorators.iter().any(|d| framework.decorator_method(&d.name).is_some());
        for decorator in decorators {
            let any_method = (framework.path_means_all_methods && !has_method && gives_only_path(&decorator))
                .then_some(&HttpMethodSource::Named(ANY));
            let Some(method) = framework.decorator_method(&decorator.name).or(any_method) else { continue };
            let by_receiver = framework.prefixes.is_empty() && !decorator.receiver.is_empty();
            if !(used.is_certain || by_receiver) {
                continue;
            }
            let methods = match method {
                HttpMethodSource::Named(method) => vec![*method],
                HttpMethodSource::Keyword(other) => {
                    let methods = parse_http_methods(&decorator.methods);
                    if methods.is_empty() { vec![*other] } else { methods }
                }
                _ => continue,
            };
            let routers =
                self.limit_router_prefixes(self.decorator_prefixes(framework, fact, decorator, outer));
            let ty = fact.parent.and_then(|ty| self.symbols.facts.get(ty as usize));
            for path in decorator_paths(framework, fact, ty, decorator, decorators, outer) {
                let unknown = [RouterPrefix::with_unknown_origin("")];
                for router in if path.whole { &routers } else { &unknown[..] } {
                    let at = path.at;
                    let path = if path.absolute {
                        path.text.clone()
                    } else {
                        join_route_paths(&router.prefix, &path.text)
                    };
                    for method in &methods {
                        let (path, origin, receiver) =
                            (path.clone(), router.origin.clone(), &decorator.receiver);
                        self.push_route(FoundRoute {
                            used,
                            method,
                            path,
                            origin,
                            handler: None,
                            receiver,
                            at,
                        });
                        self.record_serving(&decorator.receiver, decorator.node.start_byte() as u32);
                    }
                }
            }
        }
    }

    /// Returns the prefixes of a method's path, one for each mount point. They come from the
    /// decorators of the type around the method, or from its router.
    fn decorator_prefixes(
        &self,
        framework: &WebFramework,
        fact: &SymbolFact,
        decorator: &RouteDecorator,
        outer: &[&RouteDecorator<'t>],
    ) -> Vec<RouterPrefix> {
        let text = |argument: &PathArgument| Some(replace_route_tokens(argument.text.as_deref()?, fact));
        let prefix_of_argument = |argument: &PathArgument| normalize_prefix(&text(argument)?);
        let only_in = outer.iter().find_map(|d| {
            let keyword = framework.only_in.get(&d.name)?;
            d.paths.iter().find(|argument| argument.keyword == *keyword)
        });
        let type_prefix = only_in.map_or(Some(String::new()), prefix_of_argument);
        let prefix_decorator = outer.iter().find(|d| framework.prefixes.contains(&d.name));
        let routers = match prefix_decorator {
            Some(prefix_decorator) => {
                let prefix = prefix_decorator.paths.first().map_or(Some(String::new()), text);
                vec![prefix.map_or_else(
                    || RouterPrefix::with_unknown_origin(""),
                    |prefix| parse_router_prefix(&prefix),
                )]
            }
            None => {
                let routers =
                    self.prefixes_of_router(&decorator.receiver, decorator.node.start_byte() as u32);
                routers.into_iter().map(|router| router.for_framework(framework)).collect()
            }
        };
        let Some(type_prefix) = type_prefix else { return vec![RouterPrefix::with_unknown_origin("")] };
        let below_type = |router: RouterPrefix| RouterPrefix {
            prefix: join_route_paths(&type_prefix, &router.prefix),
            ..router
        };
        routers.into_iter().map(below_type).collect()
    }
}

/// Parses the prefix in a decorator. If it begins with an unknown value, only its end is known.
fn parse_router_prefix(prefix: &str) -> RouterPrefix {
    let end = strip_leading_hole(prefix);
    let path = normalize_prefix(end.unwrap_or(prefix));
    match (path, end) {
        (Some(path), None) => RouterPrefix::from_absolute_path(path),
        (path, _) => RouterPrefix::with_unknown_origin(&path.unwrap_or_default()),
    }
}

/// A path in a decorator.
struct DecoratorPath<'t> {
    text: String,
    at: Node<'t>,
    /// Whether the path replaces the prefixes around it.
    absolute: bool,
    /// Whether the beginning of the path is known.
    whole: bool,
}

/// Returns the paths in the decorators of a method.
fn decorator_paths<'t>(
    framework: &WebFramework,
    fact: &SymbolFact,
    ty: Option<&SymbolFact>,
    decorator: &RouteDecorator<'t>,
    decorators: &[&RouteDecorator<'t>],
    outer: &[&RouteDecorator<'t>],
) -> Vec<DecoratorPath<'t>> {
    let path_decorator = || decorators.iter().find(|d| framework.paths.contains(&d.name)).copied();
    let with_path = if decorator.paths.is_empty() { path_decorator() } else { Some(decorator) };
    let arguments = with_path.map_or(&[][..], |d| &d.paths);
    let has_type_prefix = outer.iter().any(|d| framework.prefixes.contains(&d.name));
    let by_convention = arguments.is_empty() && !has_type_prefix && !framework.convention.is_empty();
    let mut paths: Vec<(&str, Node)> =
        arguments.iter().filter_map(|argument| Some((argument.text.as_deref()?, argument.node))).collect();
    if by_convention {
        let conventional_path =
            |name: &str| framework.convention.get(name).map(|path| (path.as_str(), decorator.node));
        paths.extend(["*", &fact.name].into_iter().filter_map(conventional_path));
    } else if arguments.is_empty() && framework.relative {
        paths.push(("", decorator.node));
    }
    // A base class of the application may give a path to all derived types.
    let may_give_path = |base: &str| {
        let name = base.split('<').next().and_then(|path| path.rsplit('.').next()).unwrap_or("").trim();
        let mut letters = name.chars();
        let is_interface = letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase);
        !is_interface && !framework.plain_bases.iter().any(|plain| plain == name)
    };
    let bases = ty.and_then(|ty| ty.signature.split_once(" : ")).map_or("", |(_, bases)| bases);
    let may_inherit_path = !framework.plain_bases.is_empty()
        && !has_type_prefix
        && bases.split(',').filter(|base| !base.trim().is_empty()).any(may_give_path);
    let parse_path = |(text, at): (&str, Node<'t>)| {
        let absolute = framework.paths.iter().any(|p| p == "Route") && text.starts_with(['/', '~']);
        let (text, whole) = parse_route_path(framework, &replace_route_tokens(text, fact))?;
        let whole = whole && !by_convention && (absolute || !may_inherit_path);
        Some(DecoratorPath { text, at, absolute, whole })
    };
    paths.into_iter().filter_map(parse_path).collect()
}

/// Replaces tokens in a path. In ASP.NET, names in brackets become the names of the controller and
/// the method. In Spring, `${...}`, which is a setting, becomes `{}`.
fn replace_route_tokens(text: &str, fact: &SymbolFact) -> String {
    let text = replace_settings(text);
    if !text.contains('[') {
        return text;
    }
    let controller = fact.container.rsplit('.').next().unwrap_or("");
    let controller = controller.strip_suffix("Controller").unwrap_or(controller);
    let action = fact.name.strip_suffix("Async").unwrap_or(&fact.name);
    text.replace("[controller]", controller).replace("[action]", action)
}

/// Replaces each `${...}` by `{}`.
fn replace_settings(text: &str) -> String {
    let mut parts = text.split("${");
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        match part.split_once('}') {
            Some((_, after)) => out.extend([HOLE, after]),
            None => out.extend(["${", part]),
        }
    }
    out
}
