//! Drawing shapes.

mod scene;
mod shapes;

pub use scene::Scene;
pub use shapes::{Circle, Shape, Square as Box4};

/// The sum of the areas of shapes of one kind.
pub fn total<S: Shape>(shapes: &[S]) -> f64 {
    shapes.iter().map(Shape::area).sum()
}
