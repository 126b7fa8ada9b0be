//! A shop with a shelf and a till.

use shelf::{shelf, Crate, Sack, Shelf, Weigh};

mod till;

fn stock() -> Shelf<Crate> {
    let mut shelf = Shelf::new();
    shelf.put(Crate { bottles: 6 }).put(Crate { bottles: 12 });
    shelf
}

fn describe(thing: &dyn Weigh) -> String {
    let word = if thing.heavy() { "heavy" } else { "light" };
    format!("{word}: {}", thing.grams())
}

fn main() {
    let shelf = stock();
    let sacks = shelf![Sack(5), Sack(7)];
    let count = till::Till::open().count(shelf.load(), |grams| grams * 2);
    println!("{} {} {}", describe(&Sack(3)), sacks.load(), count);
}
