//! Several declarations of one symbol in different files, one for each platform: `expect` and
//! `actual` in Kotlin, source folders for platforms in C and Scala.
//!
//! Only one of them is part of a build. The rules apply to the families that set
//! `FamilyRules::platform_variants`.

use super::resolver::Resolver;
use kenning_graph::SymbolRef;
use kenning_graph::paths::parent_folder;

impl<'a> Resolver<'a> {
    /// Keeps one of several variants of a symbol: the variant that shares the most folders with
    /// this file. If several share the most, keeps the variant with the first path or, in families
    /// with separate declarations, the declaration that this file sees.
    pub(super) fn keep_nearest_variant(&self, targets: &mut Vec<SymbolRef<'a>>) {
        if targets.len() < 2 || !self.family.declares(|rules| rules.platform_variants) {
            return;
        }
        let mut kept: Vec<SymbolRef<'a>> = Vec::new();
        let mut rest = std::mem::take(targets);
        while let Some(first) = rest.first().copied() {
            let (mut variants, others) = rest.into_iter().partition(|s| self.is_variant(s, &first));
            rest = others;
            self.keep_one_of_variants(&mut variants);
            kept.append(&mut variants);
        }
        *targets = kept;
    }

    /// Applies [`Self::keep_nearest_variant`] to the variants of one symbol.
    fn keep_one_of_variants(&self, variants: &mut Vec<SymbolRef<'a>>) {
        if variants.len() < 2 {
            return;
        }
        let shared = |s: &SymbolRef| shared_folders(s.path, self.path);
        let max_shared = variants.iter().map(shared).max().unwrap_or_default();
        let nearest: Vec<SymbolRef> = variants.iter().filter(|s| shared(s) == max_shared).copied().collect();
        if let [nearest] = nearest[..] {
            *variants = vec![nearest];
        } else if !self.family.declares(|rules| rules.separate_definitions) {
            variants.sort_by_key(|s| (shared(s) != max_shared, s.path));
            variants.truncate(1);
        } else if let Some(declaration) = self.find_visible_declaration(&variants[0]) {
            *variants = vec![declaration];
        }
    }

    /// Whether two symbols are the same, or declare it in different files for different platforms.
    fn is_variant(&self, a: &SymbolRef<'a>, b: &SymbolRef<'a>) -> bool {
        let has_same_parameters =
            || a.param_types() == b.param_types() || self.family.declares(|rules| rules.separate_definitions);
        a.id == b.id
            || a.path != b.path
                && (a.name, a.container, a.arity) == (b.name, b.container, b.arity)
                && a.kind.is_type() == b.kind.is_type()
                && a.kind.is_callable() == b.kind.is_callable()
                && has_same_parameters()
                && (!self.family.separates_packages()
                    || self.package_of_file(a.path) == self.package_of_file(b.path))
    }

    /// Returns the declaration of a symbol that this file sees, if there is exactly one.
    fn find_visible_declaration(&self, definition: &SymbolRef<'a>) -> Option<SymbolRef<'a>> {
        let named = self.view.symbols_in_container(definition.container, definition.name);
        let is_visible = |s: &SymbolRef<'a>| {
            s.is_declaration_only() && s.arity == definition.arity && self.sees_file(s.path)
        };
        let mut visible = named.iter().filter(is_visible);
        let declaration = visible.next()?;
        visible.next().is_none().then_some(declaration)
    }
}

/// Returns the number of folders, from the root, that two paths share.
fn shared_folders(a: &str, b: &str) -> usize {
    let folders = |path| parent_folder(path).split('/');
    folders(a).zip(folders(b)).take_while(|(a, b)| a == b).count()
}
