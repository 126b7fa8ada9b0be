//! The page of a text that a request with a budget asks for.

use crate::format::answer_pages::{MIN_BUDGET, divide_into_pages};
use std::num::NonZeroUsize;
use tower_lsp::jsonrpc::{Error, Result};

/// Returns the page of a text; the whole text without a budget.
///
/// # Errors
/// Returns `InvalidParams` if the budget is too small for a page, or if there is no such page.
pub fn select_page(text: String, budget: Option<NonZeroUsize>, page: Option<NonZeroUsize>) -> Result<String> {
    let Some(budget) = budget.map(NonZeroUsize::get) else { return Ok(text) };
    if budget < MIN_BUDGET {
        return Err(Error::invalid_params(format!(
            "budget: must be at least {MIN_BUDGET} tokens, not {budget}"
        )));
    }
    let mut pages = divide_into_pages(&text, budget);
    let (number, count) = (page.map_or(1, NonZeroUsize::get), pages.len());
    if number > count {
        return Err(Error::invalid_params(format!("page: must be from 1 to {count}, not {number}")));
    }
    Ok(pages.swap_remove(number - 1))
}
