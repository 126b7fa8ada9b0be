//! The till of the shop.

use std::collections::BTreeMap;

#[derive(Default)]
pub struct Till {
    sums: BTreeMap<u32, u32>,
}

impl Till {
    pub fn open() -> Self {
        Self::default()
    }

    pub fn count(mut self, grams: u32, price: impl Fn(u32) -> u32) -> u32 {
        self.sums.insert(grams, price(grams));
        self.sums.values().sum()
    }
}
