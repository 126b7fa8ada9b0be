//! The symbols of recent packs, so that the next page of a pack continues after them.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Maximum number of packs that are remembered.
const MAX_PACKS: usize = 64;

/// The symbols that a reader has after a page: those of the page and of all pages before it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ShownPage {
    pack_root: String,
    symbols: Vec<String>,
}

/// The pages of recent packs.
#[derive(Debug, Default)]
pub struct PageMemory {
    pages: Mutex<VecDeque<ShownPage>>,
}

impl PageMemory {
    /// Remembers a page. `earlier` are the symbols of the pages before it.
    pub fn record_page(&self, pack_root: &str, earlier: &[String], symbols: Vec<String>) {
        let mut shown = earlier.to_vec();
        shown.extend(symbols);
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|page| page.pack_root != pack_root);
        pages.push_back(ShownPage { pack_root: pack_root.to_owned(), symbols: shown });
        if pages.len() > MAX_PACKS {
            pages.pop_front();
        }
    }

    /// Returns the ids of the symbols that a reader of this pack has; `None` if the pack is not
    /// remembered.
    pub fn find_shown(&self, pack_root: &str) -> Option<Vec<String>> {
        let pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.iter().find(|page| page.pack_root == pack_root).map(|page| page.symbols.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn a_page_includes_the_symbols_of_the_pages_before_it() {
        let memory = PageMemory::default();
        memory.record_page("one", &[], ids(&["a", "b"]));
        memory.record_page("two", &memory.find_shown("one").unwrap(), ids(&["c"]));
        assert_eq!(memory.find_shown("two"), Some(ids(&["a", "b", "c"])));
        assert_eq!(memory.find_shown("three"), None);
    }

    #[test]
    fn the_oldest_pages_are_forgotten() {
        let memory = PageMemory::default();
        for page in 0..=MAX_PACKS {
            memory.record_page(&page.to_string(), &[], Vec::new());
        }
        assert_eq!(memory.find_shown("0"), None);
        assert!(memory.find_shown("1").is_some());
    }
}
