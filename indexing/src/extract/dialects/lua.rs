//! The dialect of Lua: dots separate the folders of a module name.

use super::{Dialect, strip_quotes};
use kenning_graph::facts::ImportFact;

/// The dialect of Lua.
pub(crate) struct LuaDialect;

impl Dialect for LuaDialect {
    fn normalize_import(&self, import: &mut ImportFact, _statement: &str) -> bool {
        import.path = strip_quotes(&import.path).replace('.', "/");
        !import.path.is_empty()
    }
}
