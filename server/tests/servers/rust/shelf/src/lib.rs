//! A shelf and the things on it.

mod boxes;

pub use boxes::{Crate, Sack};

/// A thing that has a weight.
pub trait Weigh {
    fn grams(&self) -> u32;

    fn heavy(&self) -> bool {
        self.grams() > LIMIT
    }
}

const LIMIT: u32 = 1000;

/// Holds anything that can be weighed.
pub struct Shelf<T> {
    things: Vec<T>,
}

impl<T: Weigh> Shelf<T> {
    pub fn new() -> Self {
        Self { things: Vec::new() }
    }

    pub fn put(&mut self, thing: T) -> &mut Self {
        self.things.push(thing);
        self
    }

    pub fn load(&self) -> u32 {
        self.things.iter().map(Weigh::grams).sum()
    }
}

#[macro_export]
macro_rules! shelf {
    ($($thing:expr),*) => {{
        let mut shelf = $crate::Shelf::new();
        $(shelf.put($thing);)*
        shelf
    }};
}
