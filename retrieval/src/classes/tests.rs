//! Tests of the classes on small workspaces: which classes fire, which symbols they name, and how
//! they change the ranking.

use super::{Class, Layer, TargetType, WorkspaceFacts, known_frameworks};
use crate::fixture::{SnapshotFixture, build_fixture, build_fixture_in};
use crate::{Analysis, RankConfig, TaskAnswer, TaskRequest};
use expect_test::{Expect, expect};
use kenning_graph::packages::{ManifestPackage, PackageEcosystem, WorkspacePackages};

const APP: &str = "\
//- src/app/blueprints.py
class Blueprint: A collection of views.
method Blueprint.record: Remember a call. { deferred }
//- src/app/errors.py
function handle_error: Turn an exception into a response. -> render_failure
function render_failure: Show what went wrong.
class Server: Listens.
method Server.shutdown: Ends.
//- src/app/graph.py
function transitive_callers: All that leads here.
function handle_blast_radius: The command. -> transitive_callers
//- tests/test_blueprints.py
class Blueprint: A double.
";

fn packages(
    own: &[(PackageEcosystem, &str, &str)],
    dependencies: &[(PackageEcosystem, &str, &str)],
) -> WorkspacePackages {
    let package = |&(ecosystem, name, manifest): &(PackageEcosystem, &str, &str)| ManifestPackage {
        ecosystem,
        name: ecosystem.normalize_name(name),
        manifest: manifest.to_owned(),
        line: 0,
        requirement: String::new(),
        locked: String::new(),
        local: String::new(),
    };
    WorkspacePackages {
        defined: own.iter().map(package).collect(),
        dependencies: dependencies.iter().map(package).collect(),
    }
}

fn facts_with_flask() -> WorkspaceFacts {
    WorkspaceFacts::new(&packages(&[], &[(PackageEcosystem::Pypi, "Flask", "pyproject.toml")]), Vec::new())
}

fn workspace_class(phrases: &[&str], targets: &[&str]) -> WorkspaceFacts {
    weighted_class(phrases, targets, None)
}

fn weighted_class(phrases: &[&str], targets: &[&str], weight: Option<u8>) -> WorkspaceFacts {
    let class = Class { weight, ..impact_class(phrases, targets) };
    WorkspaceFacts::new(&WorkspacePackages::default(), vec![class])
}

fn impact_class(phrases: &[&str], targets: &[&str]) -> Class {
    let to_strings = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    Class {
        id: "impact".to_owned(),
        layer: Layer::Workspace,
        framework: None,
        language: None,
        phrases: to_strings(phrases),
        targets: to_strings(targets),
        weight: None,
        is_cross_cutting: false,
        has_internal_targets: false,
        target_type: TargetType::Symbol,
    }
}

fn answer_task(
    app: &SnapshotFixture,
    workspace: &WorkspaceFacts,
    config: &RankConfig,
    task: &str,
) -> TaskAnswer {
    Analysis { workspace, ..Analysis::new(&app.snapshot, config, app) }.pack_task(&TaskRequest::new(task))
}

/// Renders the classes that fire and the hits of the channel.
fn describe_matches(
    app: &SnapshotFixture,
    workspace: &WorkspaceFacts,
    config: &RankConfig,
    task: &str,
) -> String {
    let trace = answer_task(app, workspace, config, task).trace;
    let mut text = String::new();
    for found in &trace.query.classes {
        let strength = if found.strong { "strong" } else { "weak" };
        text += &format!("{} by {} ({strength})\n", found.class.id, found.phrases.join(", "));
    }
    for list in trace.channels.iter().filter(|list| list.name == "classes") {
        for hit in &list.hits {
            text += &format!("- {:.2} {} {}\n", hit.score, app.symbol_name(hit.symbol), hit.reason);
        }
    }
    text
}

fn check(workspace: &WorkspaceFacts, task: &str, expect: Expect) {
    expect.assert_eq(&describe_matches(&build_fixture(APP), workspace, &RankConfig::seeds_preset(), task));
}

#[test]
fn a_universal_class_finds_the_common_names_in_any_spelling() {
    check(
        WorkspaceFacts::EMPTY,
        "improve error handling",
        expect![[r#"
            universal.error_handling by error handling (strong)
            - 0.80 handle_error universal.error_handling
        "#]],
    );
}

#[test]
fn phrases_match_whole_words_only() {
    check(&workspace_class(&["auth"], &["Server"]), "name the author of each file", expect![[""]]);
    check(
        &workspace_class(&["auth"], &["Server"]),
        "auth of each file",
        expect![[r#"
            impact by auth (weak)
            - 1.00 Server workspace
        "#]],
    );
}

#[test]
fn a_framework_class_fires_in_workspaces_that_use_or_are_the_framework() {
    let task = "register a blueprint twice";
    check(WorkspaceFacts::EMPTY, task, expect![[""]]);
    check(
        &facts_with_flask(),
        task,
        expect![[r#"
            flask.blueprint by blueprint, blueprints (weak)
            - 0.90 Blueprint flask.blueprint
            - 0.90 Blueprint.record flask.blueprint
        "#]],
    );
    let flask_itself = packages(&[(PackageEcosystem::Pypi, "flask", "pyproject.toml")], &[]);
    assert_eq!(WorkspaceFacts::new(&flask_itself, Vec::new()).framework_ids(), ["flask"]);
}

#[test]
fn only_manifests_of_the_product_determine_its_frameworks() {
    let used = |own: &[_], dependencies: &[_]| {
        WorkspaceFacts::new(&packages(own, dependencies), Vec::new()).framework_ids().join(" ")
    };
    assert_eq!(used(&[], &[(PackageEcosystem::Pypi, "celery", "examples/tasks/pyproject.toml")]), "");
    assert_eq!(used(&[], &[(PackageEcosystem::Pypi, "celery", "requirements/tests.txt")]), "celery");
    assert_eq!(
        used(&[], &[(PackageEcosystem::Npm, "celery", "package.json")]),
        "",
        "another registry's name"
    );
    assert_eq!(used(&[], &[(PackageEcosystem::Maven, "org.apache.kafka:kafka-clients", "pom.xml")]), "kafka");
    assert_eq!(used(&[], &[(PackageEcosystem::Maven, "org.apache.kafkaesque:x", "pom.xml")]), "");
    assert_eq!(used(&[(PackageEcosystem::Go, "github.com/caddyserver/caddy/v2", "go.mod")], &[]), "caddy");
    let found = used(
        &[],
        &[
            (PackageEcosystem::Npm, "react", "package.json"),
            (PackageEcosystem::Npm, "express", "b/package.json"),
        ],
    );
    assert_eq!(found, "express react", "by id, whatever the order of the manifests");
}

#[test]
fn every_framework_is_detected_by_each_of_its_packages() {
    for framework in known_frameworks() {
        for (&ecosystem, names) in &framework.packages {
            for name in names {
                let name = name.replace('*', "anything");
                let used = packages(&[], &[(ecosystem, &name, "manifest")]);
                let facts = WorkspaceFacts::new(&used, Vec::new());
                assert!(facts.uses_framework(&framework.id), "{name} is not {}", framework.id);
            }
        }
    }
}

#[test]
fn a_language_class_fires_where_the_language_is_primary() {
    check(
        WorkspaceFacts::EMPTY,
        "context manager, goroutine leak, http handler",
        expect![[r#"
        universal.request_handler by http handler (strong)
        python.context_manager by context manager (strong)
    "#]],
    );
}

#[test]
fn classes_of_the_workspace_come_first() {
    check(
        &workspace_class(
            &["blast radius", "impact analysis"],
            &["transitive_callers", "Server.shutdown", "Server.none"],
        ),
        "impact analysis of a change",
        expect![[r#"
            impact by impact analysis (strong)
            - 1.00 Server.shutdown workspace
            - 1.00 transitive_callers workspace
        "#]],
    );
}

#[test]
fn names_of_callers_and_callees_are_aliases_of_a_symbol() {
    check(
        WorkspaceFacts::EMPTY,
        "`transitive_callers` for the blast radius",
        expect![[r#"
            - 0.70 handle_blast_radius graph
            - 0.70 transitive_callers graph
        "#]],
    );
}

#[test]
fn strong_matches_of_framework_classes_are_injected_first_and_traced() {
    let app = build_fixture(APP);
    let show = |task: &str| {
        let answer = answer_task(&app, &facts_with_flask(), &RankConfig::seeds_preset(), task);
        let trace = &answer.trace;
        let injected: Vec<String> = trace.injected.iter().map(|&id| app.symbol_name(id)).collect();
        let first = &trace.ranked[0];
        let why = trace.explain_symbol(&app.snapshot, first.symbol);
        let parts: Vec<String> =
            why.ranked.unwrap().components.iter().map(|c| format!("{} {:.3}", c.name, c.value)).collect();
        format!(
            "[{}] {} {:.3} = {}\n",
            injected.join(" "),
            app.symbol_name(first.symbol),
            first.score,
            parts.join(" + ")
        )
    };
    let text = ["flask blueprint of the server", "blueprint of the server", "shutdown"].map(show).concat();
    expect![[r#"
        [Blueprint Blueprint.record] Blueprint 0.835 = blast_radius 0.400 + confidence 0.125 + recency 0.060 + distance 0.150 + injection 0.100
        [] Blueprint 0.735 = blast_radius 0.400 + confidence 0.125 + recency 0.060 + distance 0.150
        [] Server.shutdown 0.735 = blast_radius 0.400 + confidence 0.125 + recency 0.060 + distance 0.150
    "#]].assert_eq(&text);
}

#[test]
fn the_default_configuration_injects_nothing() {
    let app = build_fixture(APP);
    let answer =
        answer_task(&app, &facts_with_flask(), &RankConfig::default(), "flask blueprint of the server");
    assert!(answer.trace.injected.is_empty() && !answer.trace.query.classes.is_empty());
}

#[test]
fn a_name_scores_less_the_more_definitions_it_has_until_it_is_ignored() {
    let hits_with = |definitions: usize| {
        let files: String =
            (0..definitions).map(|i| format!("//- src/m{i}.py\nclass Widget: One.\n")).collect();
        let app = build_fixture(&files);
        let facts = workspace_class(&["control panel"], &["Widget"]);
        let trace = answer_task(&app, &facts, &RankConfig::default(), "control panel").trace;
        let list = trace.channels.iter().find(|list| list.name == "classes").unwrap();
        (list.hits.len(), list.hits.first().map_or(0.0, |hit| hit.score))
    };
    assert_eq!(hits_with(1), (1, 1.0));
    assert_eq!(hits_with(4), (4, 0.5));
    assert_eq!(hits_with(20).0, 10, "the minimum cap, because words found nothing");
    assert_eq!(hits_with(21).0, 0);
}

#[test]
fn the_cap_is_twice_the_number_of_name_and_text_hits() {
    let files: String = (0..30).map(|i| format!("//- src/m{i}.py\nclass Gizmo: One.\n")).collect();
    let words: String = (0..3).map(|i| format!("//- src/w{i}.py\nfunction zebra_{i}: x\n")).collect();
    let app = build_fixture(&(files + &words));
    let facts = workspace_class(&["zebra crossing"], &["Gizmo"]);
    let trace = answer_task(&app, &facts, &RankConfig::seeds_preset(), "zebra crossing").trace;
    let count = |name: &str| trace.channels.iter().find(|list| list.name == name).unwrap().hits.len();
    assert_eq!(count("classes"), (2 * (count("bm25") + count("tiered"))).min(30));
    assert!(count("classes") > 10 && count("classes") < 30, "{}", count("classes"));
}

#[test]
fn generic_names_are_targets_only_as_members_of_a_named_type() {
    let app =
        build_fixture("//- a.py\nclass Router: x\nmethod Router.get: x\nfunction run: x\nfunction add: x\n");
    let facts = workspace_class(&["control panel"], &["get", "run", "add", "Router.get"]);
    let text = describe_matches(&app, &facts, &RankConfig::seeds_preset(), "control panel");
    expect![[r#"
        impact by control panel (strong)
        - 1.00 Router.get workspace
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_member_may_be_inherited() {
    let app = build_fixture(
        "//- a.py\nclass Base: x\nmethod Base.register: x\nclass Other: x\nmethod Other.register: x\n//- b.py\nclass App: x => Base\n",
    );
    let facts = workspace_class(&["control panel"], &["App.register"]);
    expect![[r#"
        impact by control panel (strong)
        - 1.00 Base.register workspace
    "#]]
    .assert_eq(&describe_matches(&app, &facts, &RankConfig::seeds_preset(), "control panel"));
}

#[test]
fn the_weight_of_a_class_replaces_the_weight_of_its_layer() {
    let phrases = ["impact analysis"];
    check(
        &weighted_class(&phrases, &["transitive_callers"], Some(60)),
        "impact analysis of a change",
        expect![[r#"
            impact by impact analysis (strong)
            - 0.60 transitive_callers workspace
        "#]],
    );
    let mut config = RankConfig::seeds_preset();
    config.classes.layers.workspace = 0.0;
    let facts = weighted_class(&phrases, &["transitive_callers"], Some(60));
    let matches = describe_matches(&build_fixture(APP), &facts, &config, "impact analysis of a change");
    assert_eq!(matches, "", "the layer is disabled");
}

#[test]
fn a_class_can_lead_to_the_symbols_of_a_file() {
    let class = Class {
        target_type: TargetType::File,
        ..impact_class(&["impact analysis"], &["src/app/graph.py", "src/app/missing.py"])
    };
    check(
        &WorkspaceFacts::new(&WorkspacePackages::default(), vec![class]),
        "impact analysis of a change",
        expect![[r#"
            impact by impact analysis (strong)
            - 1.00 handle_blast_radius workspace
            - 1.00 transitive_callers workspace
        "#]],
    );
}

#[test]
fn only_the_seeds_preset_injects_cross_cutting_classes() {
    let app = build_fixture(
        "//- src/login.py\nclass Authenticator: Decides who may enter.\n//- src/log.py\nfunction write_log: Log.\n",
    );
    let run = |config: RankConfig, task: &str| {
        let trace = answer_task(&app, &WorkspaceFacts::default(), &config, task).trace;
        let list = trace.channels.iter().find(|list| list.name == "classes");
        let score = list.and_then(|list| list.hits.first()).map_or(0.0, |hit| hit.score);
        let injected: Vec<String> = trace.injected.iter().map(|&id| app.symbol_name(id)).collect();
        (injected.join(" "), format!("{score:.2}"))
    };
    let task = "user authentication for the log in page";
    assert_eq!(run(RankConfig::seeds_preset(), task), ("Authenticator".to_owned(), "0.90".to_owned()));
    assert_eq!(run(RankConfig::default(), task), (String::new(), "0.80".to_owned()));
    let marked = super::data::built_in_classes().classes().iter().filter(|class| class.is_cross_cutting);
    assert!(marked.clone().count() >= 20 && marked.clone().all(|class| class.layer == Layer::Universal));
}

#[test]
fn the_example_phrases_of_frameworks_lead_to_their_names() {
    let targets_of = |phrase: &str| -> Vec<&str> {
        let matches =
            super::match_phrases(super::data::built_in_classes(), &super::canonicalize_text(phrase));
        matches.into_iter().flat_map(|(class, _)| class.targets.iter().map(String::as_str)).collect()
    };
    for (phrase, target) in [
        ("consumer group", "KafkaConsumer"),
        ("dependency resolution", "FeatureResolver"),
        ("guard", "CanActivate"),
        ("custom hook", "useEffect"),
        ("jekyll plugin", "Generator"),
        ("server-side rendering", "GetServerSideProps"),
        ("flask blueprint", "Blueprint"),
    ] {
        assert!(targets_of(phrase).contains(&target), "{phrase}: {:?}", targets_of(phrase));
    }
}

#[test]
fn only_the_seeds_preset_leads_to_names_inside_frameworks() {
    let cases: [(_, _, _, _, _, &[&str]); 4] = [
        (
            PackageEcosystem::Go,
            "go",
            "github.com/caddyserver/caddy",
            "//- http/app.go\nclass App: Serves.\nmethod App.automaticHTTPSPhase1: Finds the domains.\n",
            "automatic https",
            &["App.automaticHTTPSPhase1"],
        ),
        (
            PackageEcosystem::Npm,
            "typescript",
            "code-oss-dev",
            "//- src/model.ts\nclass CodeActionOracle: Asks.\nclass ManagedCodeActionSet: Holds.\n",
            "code action",
            &["CodeActionOracle", "ManagedCodeActionSet"],
        ),
        (
            PackageEcosystem::Maven,
            "java",
            "com.sparkjava:spark-core",
            "//- src/Routes.java\nclass Routes: All.\nmethod Routes.find: Looks.\nclass RouteEntry: One.\n",
            "route handler",
            &["Routes.find", "RouteEntry"],
        ),
        (
            PackageEcosystem::Npm,
            "typescript",
            "next",
            "//- src/page.ts\nfunction getServerSideProps: Loads the data.\n",
            "server-side rendering",
            &["getServerSideProps"],
        ),
    ];
    for (ecosystem, language, package, code, phrase, names) in cases {
        let app = build_fixture_in(language, code);
        let facts = WorkspaceFacts::new(&packages(&[(ecosystem, package, "manifest")], &[]), Vec::new());
        let trace = answer_task(&app, &facts, &RankConfig::seeds_preset(), phrase).trace;
        let injected: Vec<String> = trace.injected.iter().map(|&id| app.symbol_name(id)).collect();
        for name in names {
            assert!(injected.iter().any(|injected| injected == name), "{phrase}: {injected:?}");
        }
        // For the default ranking, the class does not exist.
        let trace = answer_task(&app, &facts, &RankConfig::default(), phrase).trace;
        assert!(trace.query.classes.iter().all(|found| !found.class.has_internal_targets), "{phrase}");
    }
    let classes = super::data::built_in_classes().classes();
    assert_eq!(classes.iter().filter(|class| class.has_internal_targets).count(), 3);
}

#[test]
fn a_layer_can_be_disabled() {
    let app = build_fixture(APP);
    let mut config = RankConfig::seeds_preset();
    config.classes.layers.framework = 0.0;
    config.classes.layers.graph = 0.0;
    config.classes.layers.universal = 0.0;
    assert_eq!(
        describe_matches(
            &app,
            &facts_with_flask(),
            &config,
            "flask blueprint with error handling and blast radius"
        ),
        ""
    );
    config.classes = crate::config::EquivalenceClassConfig::all_off();
    let trace = answer_task(&app, &facts_with_flask(), &config, "flask blueprint").trace;
    assert!(trace.query.classes.is_empty() && trace.injected.is_empty());
    assert!(trace.channels.iter().all(|list| list.name != "classes"));
}

#[test]
fn equal_tasks_give_equal_answers() {
    let app = build_fixture(APP);
    let run = || {
        let answer = answer_task(
            &app,
            &facts_with_flask(),
            &RankConfig::seeds_preset(),
            "flask blueprint, error handling, blast radius",
        );
        (answer.pack.pack_root, format!("{:?}", answer.trace.channels), answer.trace.injected)
    };
    assert_eq!(run(), run());
}
