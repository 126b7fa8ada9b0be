//! What can be drawn.

use std::f64::consts::PI;
use std::fmt;

/// Everything that has an area.
pub trait Shape {
    fn area(&self) -> f64;

    fn twice(&self) -> f64 {
        self.area() * 2.0
    }
}

pub struct Circle {
    radius: f64,
}

impl Circle {
    pub fn new(radius: f64) -> Self {
        Self { radius: clamp(radius) }
    }
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        PI * self.radius.powi(2)
    }
}

#[derive(Clone, Default)]
pub struct Square(pub f64);

impl Square {
    pub fn new(side: f64) -> Self {
        Self(clamp(side))
    }
}

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }

    fn twice(&self) -> f64 {
        Self::new(self.0 * 2.0).area()
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "square of {}", self.area())
    }
}

fn clamp(length: f64) -> f64 {
    length.max(0.0)
}
