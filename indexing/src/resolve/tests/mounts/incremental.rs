//! Changes to mounts: resolving only the affected files gives the same routes as resolving all
//! files.

use super::super::incremental::{WORKSPACE, apply_edit, apply_edits};
use super::super::{Files, format_edges, parse_fixture, put_change, resolve_workspace};
use expect_test::expect;
use kenning_graph::snapshot::{BaseGraph, ChangedKeys};
use kenning_graph::{EdgeKind, Snapshot};

#[test]
fn routes_follow_the_file_that_mounts_their_router() {
    let mut files = parse_fixture(WORKSPACE);
    let mut snapshot = resolve_workspace(&files);
    let served_routes = |snapshot: &Snapshot| {
        let all = format_edges(snapshot, |kind| kind == EdgeKind::HandlesRoute);
        let users_lines = all.lines().filter(|line| line.contains("users.js"));
        users_lines.map(|line| line.replace("handles_route route::", "")).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(served_routes(&snapshot), "GET /api/users/{} -> web/users.js::show");
    let app = |mount: &str| format!("const express = require('express');\nconst app = express();\n{mount}\n");
    let twice = app("app.use('/a', require('./api'));\napp.use('/b', require('./users'));");
    for (path, text, expected) in [
        (
            "web/app.js",
            Some(app("app.use('/v2', require('./api'));")),
            "GET /v2/users/{} -> web/users.js::show",
        ),
        ("web/app.js", Some(twice), "GET /a/users/{} -> web/users.js::show, GET /b/{} -> web/users.js::show"),
        ("web/app.js", None, "GET /users/{} -> web/users.js::show (ast_inferred 0.42)"),
        (
            "web/moved.js",
            Some(app("app.use('/m', require('./api'));")),
            "GET /m/users/{} -> web/users.js::show",
        ),
        ("web/api.js", None, "GET /{} -> web/users.js::show (ast_inferred 0.42)"),
        (
            "web/api.js",
            Some("module.exports = require('./users');\n".to_owned()),
            "GET /m/{} -> web/users.js::show",
        ),
        // The mounts stay the same, but the target of one of them is gone.
        (
            "web/api.js",
            Some("module.exports = require('./gone');\n".to_owned()),
            "GET /{} -> web/users.js::show (ast_inferred 0.42)",
        ),
    ] {
        snapshot = apply_edit(&snapshot, &mut files, path, text.as_deref());
        assert_eq!(served_routes(&snapshot), expected, "{path}");
        assert_eq!(
            format_edges(&snapshot, |_| true),
            format_edges(&resolve_workspace(&files), |_| true),
            "{path}"
        );
    }
    // An edit that only moves the mounts of a file does not affect the other files.
    let moved = format!("// A comment.\n\n{}\nconsole.log(1);\n", files["web/moved.js"]);
    let (_, keys) = snapshot.with_files(put_change("web/moved.js", &moved).into_iter().collect());
    assert_eq!(keys, ChangedKeys::default());
}

#[test]
fn routes_follow_the_target_of_a_mount_when_both_files_change() {
    let router = |path: &str| {
        format!(
            "const {{ Router }} = require('express');\nconst router = Router();\nrouter.get('{path}', h);\nfunction h() {{}}\nmodule.exports = router;\n"
        )
    };
    let app = |module: &str, rest: &str| {
        format!(
            "const express = require('express');\nconst users = require('{module}');\nconst app = express();\napp.use('/api', users);\n{rest}"
        )
    };
    let mut files = Files::from([
        ("package.json".to_owned(), r#"{"name": "x"}"#.to_owned()),
        ("main.js".to_owned(), app("./one", "")),
        ("index.js".to_owned(), "module.exports = require('./one');\n".to_owned()),
        ("one.js".to_owned(), router("/one")),
        ("two.js".to_owned(), router("/two")),
    ]);
    let image = resolve_workspace(&files).to_base_image().unwrap();
    let mut snapshot = Snapshot::from_base(std::sync::Arc::new(BaseGraph::from_image(&image).unwrap()));
    let served_routes = |snapshot: &Snapshot| {
        let all = format_edges(snapshot, |kind| kind == EdgeKind::HandlesRoute);
        let certain = all.lines().filter(|line| !line.ends_with(')'));
        certain.map(|line| line.replace("handles_route route::", "")).collect::<Vec<_>>().join(", ")
    };
    let (two, index, back) = (app("./two", ""), app("./index", ""), app("./index", "// Moved.\n"));
    let other = "module.exports = require('./two');\n";
    for (edits, expected) in [
        // The text of the mounts stays the same, but the import of the name leads to another file.
        (vec![("main.js", Some(two.as_str()))], "GET /api/two -> two.js::h"),
        (vec![("main.js", Some(index.as_str()))], "GET /api/one -> one.js::h"),
        // Only a comment changes in this file, but the imported file names another router.
        (vec![("main.js", Some(back.as_str())), ("index.js", Some(other))], "GET /api/two -> two.js::h"),
    ] {
        snapshot = apply_edits(&snapshot, &mut files, &edits);
        assert_eq!(served_routes(&snapshot), expected);
        assert_eq!(format_edges(&snapshot, |_| true), format_edges(&resolve_workspace(&files), |_| true));
    }
}

#[test]
fn mounts_are_read_from_a_base_image() {
    let mut files = parse_fixture(WORKSPACE);
    let image = resolve_workspace(&files).to_base_image().unwrap();
    let mut snapshot = Snapshot::from_base(std::sync::Arc::new(BaseGraph::from_image(&image).unwrap()));
    for (path, text) in [
        ("web/users.js", files["web/users.js"].replace("/:id", "/all")),
        ("web/app.js", files["web/app.js"].replace("'/api'", "'/v3'")),
        ("site/urls.py", files["site/urls.py"].replace("shop/", "shops/")),
    ] {
        snapshot = apply_edit(&snapshot, &mut files, path, Some(&text));
        assert_eq!(
            format_edges(&snapshot, |_| true),
            format_edges(&resolve_workspace(&files), |_| true),
            "{path}"
        );
    }
    let routes = format_edges(&snapshot, |kind| kind == EdgeKind::HandlesRoute);
    expect![[r#"
        handles_route route::ANY /shops/list -> shop/urls.py::urlpatterns
        handles_route route::GET /a/list -> a/routes.go::list
        handles_route route::GET /v3/users/all -> web/users.js::show
    "#]]
    .assert_eq(&routes);
}
