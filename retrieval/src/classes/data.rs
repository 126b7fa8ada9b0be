//! The classes that the program ships with: the files in `data/classes`, parsed once.

use super::{Class, ClassSet, Layer, TargetType};
use kenning_graph::packages::PackageEcosystem;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The file `data/classes/universal.toml`.
const UNIVERSAL: &str = include_str!("../../data/classes/universal.toml");

/// The files in `data/classes/frameworks`. A test checks that none is missing.
const FRAMEWORKS: &[(&str, &str)] = &[
    ("actix_web.toml", include_str!("../../data/classes/frameworks/actix_web.toml")),
    ("angular.toml", include_str!("../../data/classes/frameworks/angular.toml")),
    ("aspnet.toml", include_str!("../../data/classes/frameworks/aspnet.toml")),
    ("axum.toml", include_str!("../../data/classes/frameworks/axum.toml")),
    ("caddy.toml", include_str!("../../data/classes/frameworks/caddy.toml")),
    ("cargo.toml", include_str!("../../data/classes/frameworks/cargo.toml")),
    ("celery.toml", include_str!("../../data/classes/frameworks/celery.toml")),
    ("clap.toml", include_str!("../../data/classes/frameworks/clap.toml")),
    ("click.toml", include_str!("../../data/classes/frameworks/click.toml")),
    ("cobra.toml", include_str!("../../data/classes/frameworks/cobra.toml")),
    ("controller_runtime.toml", include_str!("../../data/classes/frameworks/controller_runtime.toml")),
    ("diesel.toml", include_str!("../../data/classes/frameworks/diesel.toml")),
    ("django-rest-framework.toml", include_str!("../../data/classes/frameworks/django-rest-framework.toml")),
    ("django.toml", include_str!("../../data/classes/frameworks/django.toml")),
    ("echo.toml", include_str!("../../data/classes/frameworks/echo.toml")),
    ("ef-core.toml", include_str!("../../data/classes/frameworks/ef-core.toml")),
    ("express.toml", include_str!("../../data/classes/frameworks/express.toml")),
    ("fastapi.toml", include_str!("../../data/classes/frameworks/fastapi.toml")),
    ("fastify.toml", include_str!("../../data/classes/frameworks/fastify.toml")),
    ("flask.toml", include_str!("../../data/classes/frameworks/flask.toml")),
    ("gin.toml", include_str!("../../data/classes/frameworks/gin.toml")),
    ("gorm.toml", include_str!("../../data/classes/frameworks/gorm.toml")),
    ("graphql_js.toml", include_str!("../../data/classes/frameworks/graphql_js.toml")),
    ("grpc.toml", include_str!("../../data/classes/frameworks/grpc.toml")),
    ("hibernate.toml", include_str!("../../data/classes/frameworks/hibernate.toml")),
    ("hono.toml", include_str!("../../data/classes/frameworks/hono.toml")),
    ("jackson.toml", include_str!("../../data/classes/frameworks/jackson.toml")),
    ("jekyll.toml", include_str!("../../data/classes/frameworks/jekyll.toml")),
    ("jest.toml", include_str!("../../data/classes/frameworks/jest.toml")),
    ("jinja.toml", include_str!("../../data/classes/frameworks/jinja.toml")),
    ("junit.toml", include_str!("../../data/classes/frameworks/junit.toml")),
    ("kafka.toml", include_str!("../../data/classes/frameworks/kafka.toml")),
    ("kubernetes.toml", include_str!("../../data/classes/frameworks/kubernetes.toml")),
    ("mocha.toml", include_str!("../../data/classes/frameworks/mocha.toml")),
    ("mockito.toml", include_str!("../../data/classes/frameworks/mockito.toml")),
    ("monaco.toml", include_str!("../../data/classes/frameworks/monaco.toml")),
    ("nestjs.toml", include_str!("../../data/classes/frameworks/nestjs.toml")),
    ("netty.toml", include_str!("../../data/classes/frameworks/netty.toml")),
    ("newtonsoft-json.toml", include_str!("../../data/classes/frameworks/newtonsoft-json.toml")),
    ("nextjs.toml", include_str!("../../data/classes/frameworks/nextjs.toml")),
    ("ocelot.toml", include_str!("../../data/classes/frameworks/ocelot.toml")),
    ("prisma.toml", include_str!("../../data/classes/frameworks/prisma.toml")),
    ("pydantic.toml", include_str!("../../data/classes/frameworks/pydantic.toml")),
    ("pytest.toml", include_str!("../../data/classes/frameworks/pytest.toml")),
    ("rails.toml", include_str!("../../data/classes/frameworks/rails.toml")),
    ("react.toml", include_str!("../../data/classes/frameworks/react.toml")),
    ("redux.toml", include_str!("../../data/classes/frameworks/redux.toml")),
    ("requests.toml", include_str!("../../data/classes/frameworks/requests.toml")),
    ("rspec.toml", include_str!("../../data/classes/frameworks/rspec.toml")),
    ("rxjs.toml", include_str!("../../data/classes/frameworks/rxjs.toml")),
    ("scrapy.toml", include_str!("../../data/classes/frameworks/scrapy.toml")),
    ("serde.toml", include_str!("../../data/classes/frameworks/serde.toml")),
    ("serilog.toml", include_str!("../../data/classes/frameworks/serilog.toml")),
    ("sidekiq.toml", include_str!("../../data/classes/frameworks/sidekiq.toml")),
    ("sinatra.toml", include_str!("../../data/classes/frameworks/sinatra.toml")),
    ("spark-java.toml", include_str!("../../data/classes/frameworks/spark-java.toml")),
    ("spring-data.toml", include_str!("../../data/classes/frameworks/spring-data.toml")),
    ("spring-security.toml", include_str!("../../data/classes/frameworks/spring-security.toml")),
    ("spring.toml", include_str!("../../data/classes/frameworks/spring.toml")),
    ("sqlalchemy.toml", include_str!("../../data/classes/frameworks/sqlalchemy.toml")),
    ("terraform.toml", include_str!("../../data/classes/frameworks/terraform.toml")),
    ("tokio.toml", include_str!("../../data/classes/frameworks/tokio.toml")),
    ("trpc.toml", include_str!("../../data/classes/frameworks/trpc.toml")),
    ("typeorm.toml", include_str!("../../data/classes/frameworks/typeorm.toml")),
    ("vscode.toml", include_str!("../../data/classes/frameworks/vscode.toml")),
    ("vue.toml", include_str!("../../data/classes/frameworks/vue.toml")),
];

/// The files in `data/classes/languages`. A test checks that none is missing.
const LANGUAGES: &[(&str, &str)] = &[
    ("csharp.toml", include_str!("../../data/classes/languages/csharp.toml")),
    ("go.toml", include_str!("../../data/classes/languages/go.toml")),
    ("java.toml", include_str!("../../data/classes/languages/java.toml")),
    ("python.toml", include_str!("../../data/classes/languages/python.toml")),
    ("ruby.toml", include_str!("../../data/classes/languages/ruby.toml")),
    ("rust.toml", include_str!("../../data/classes/languages/rust.toml")),
    ("typescript.toml", include_str!("../../data/classes/languages/typescript.toml")),
];

/// A framework with equivalence classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Framework {
    /// The id, such as `spark-java`; the ids of its classes begin with it.
    pub id: String,
    /// The name as people write it.
    pub name: String,
    /// Language of the targets of its classes.
    pub language: String,
    /// The address of the documentation on which its classes are based.
    pub source: String,
    /// Names of its packages by registry. A workspace that depends on one of them uses the
    /// framework; a workspace that contains one is the framework.
    pub packages: BTreeMap<PackageEcosystem, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassEntry {
    id: String,
    phrases: Vec<String>,
    targets: Vec<String>,
    weight: Option<u8>,
    #[serde(default)]
    cross_cutting: bool,
    #[serde(default)]
    internal: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassDataFile {
    framework: Option<String>,
    name: Option<String>,
    language: Option<String>,
    source: Option<String>,
    packages: Option<BTreeMap<PackageEcosystem, Vec<String>>>,
    #[serde(default)]
    class: Vec<ClassEntry>,
}

struct BuiltInData {
    classes: ClassSet,
    frameworks: Vec<Framework>,
}

static DATA: LazyLock<BuiltInData> = LazyLock::new(|| {
    let (mut classes, mut frameworks) = (Vec::new(), Vec::new());
    let files = FRAMEWORKS.iter().map(|(_, text)| (Layer::Framework, *text));
    let files = files.chain([(Layer::Universal, UNIVERSAL)]);
    for (layer, text) in files.chain(LANGUAGES.iter().map(|(_, text)| (Layer::Language, *text))) {
        let file: ClassDataFile = toml::from_str(text).expect("a test parses every file of classes");
        classes.extend(file.class.into_iter().map(|entry| Class {
            id: entry.id,
            layer,
            framework: file.framework.clone(),
            language: file.language.clone(),
            phrases: entry.phrases,
            targets: entry.targets,
            weight: entry.weight,
            is_cross_cutting: entry.cross_cutting,
            has_internal_targets: entry.internal,
            target_type: TargetType::Symbol,
        }));
        if let Some(id) = file.framework {
            frameworks.push(Framework {
                id,
                name: file.name.unwrap_or_default(),
                language: file.language.unwrap_or_default(),
                source: file.source.unwrap_or_default(),
                packages: file.packages.unwrap_or_default(),
            });
        }
    }
    BuiltInData { classes: ClassSet::new(classes), frameworks }
});

/// Returns all built-in classes.
pub(super) fn built_in_classes() -> &'static ClassSet {
    &DATA.classes
}

/// Returns the frameworks with equivalence classes, in the order of their data files.
pub fn known_frameworks() -> &'static [Framework] {
    &DATA.frameworks
}

impl Framework {
    /// Returns the classes of the framework.
    pub fn framework_classes(&self) -> impl Iterator<Item = &'static Class> {
        built_in_classes().classes().iter().filter(|class| class.framework.as_deref() == Some(&*self.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    fn check_listed_files(folder: &str, listed: &[(&str, &str)]) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/classes").join(folder);
        let existing: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let listed: BTreeSet<String> = listed.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(existing, listed, "the folder and the list in this file differ");
    }

    #[test]
    fn every_data_file_is_listed() {
        check_listed_files("frameworks", FRAMEWORKS);
        check_listed_files("languages", LANGUAGES);
    }

    #[test]
    fn every_layer_has_its_minimum_number_of_classes() {
        let mut counts: BTreeMap<Layer, usize> = BTreeMap::new();
        for class in built_in_classes().classes() {
            *counts.entry(class.layer).or_default() += 1;
        }
        assert!(counts[&Layer::Universal] >= 63, "{counts:?}");
        assert!(counts[&Layer::Language] >= 31, "{counts:?}");
        assert!(counts[&Layer::Framework] >= 263, "{counts:?}");
        assert!(known_frameworks().len() >= 30);
    }

    #[test]
    fn ids_are_unique_and_begin_with_their_source() {
        let mut ids = BTreeSet::new();
        for class in built_in_classes().classes() {
            assert!(ids.insert(&class.id), "{} occurs twice", class.id);
            let source = match class.layer {
                Layer::Universal => "universal",
                Layer::Framework => class.framework.as_deref().unwrap(),
                _ => class.language.as_deref().unwrap(),
            };
            assert!(class.id.starts_with(&format!("{source}.")), "{}", class.id);
        }
        let unique: BTreeSet<&str> =
            known_frameworks().iter().map(|framework| framework.id.as_str()).collect();
        assert_eq!(unique.len(), known_frameworks().len());
        for framework in known_frameworks() {
            assert!(
                !framework.name.is_empty() && framework.source.starts_with("https://"),
                "{}",
                framework.id
            );
            assert!(framework.packages.values().any(|names| !names.is_empty()), "{}", framework.id);
        }
    }

    #[test]
    fn phrases_are_lower_case_and_targets_are_names() {
        for class in built_in_classes().classes() {
            let id = &class.id;
            assert!((1..=8).contains(&class.phrases.len()), "{id}: {} phrases", class.phrases.len());
            assert!((1..=8).contains(&class.targets.len()), "{id}: {} targets", class.targets.len());
            for phrase in &class.phrases {
                assert_eq!(*phrase, phrase.to_lowercase(), "{id}");
                assert!(
                    phrase.chars().any(char::is_alphanumeric) && phrase.trim() == phrase,
                    "{id}: {phrase:?}"
                );
            }
            let distinct: BTreeSet<&String> = class.phrases.iter().collect();
            assert_eq!(distinct.len(), class.phrases.len(), "{id}: a phrase occurs twice");
            for target in &class.targets {
                assert!(target.split('.').all(|part| !part.is_empty()), "{id}: {target}");
                assert!(!target.contains(char::is_whitespace), "{id}: {target}");
            }
            let distinct: BTreeSet<&String> = class.targets.iter().collect();
            assert_eq!(distinct.len(), class.targets.len(), "{id}: a target occurs twice");
        }
    }
}
