//! Containers that can be weighed.

use crate::Weigh;

pub struct Crate {
    pub bottles: u32,
}

pub struct Sack(pub u32);

impl Weigh for Crate {
    fn grams(&self) -> u32 {
        self.bottles * bottle()
    }
}

impl Weigh for Sack {
    fn grams(&self) -> u32 {
        self.0
    }

    fn heavy(&self) -> bool {
        true
    }
}

fn bottle() -> u32 {
    700
}
