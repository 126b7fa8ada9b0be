//! Shapes that are drawn together.

use crate::shapes::Shape;
use std::collections::BTreeMap;

#[derive(Default)]
pub struct Scene {
    shapes: BTreeMap<String, Box<dyn Shape>>,
}

impl Scene {
    pub fn with(mut self, name: &str, shape: impl Shape + 'static) -> Self {
        self.shapes.insert(name.to_owned(), Box::new(shape));
        self
    }

    pub fn area(&self) -> f64 {
        let area = |shape: &Box<dyn Shape>| shape.area();
        self.shapes.values().map(area).sum()
    }

    pub fn largest(&self) -> Option<&dyn Shape> {
        let all = self.shapes.values().map(|shape| &**shape);
        all.max_by(|a, b| a.area().total_cmp(&b.area()))
    }
}
