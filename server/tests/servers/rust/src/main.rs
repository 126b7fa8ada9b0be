//! Draws a scene.

use drawing::{Box4, Circle, Scene, total};

fn main() {
    let scene = Scene::default().with("a", Circle::new(1.0)).with("b", Box4::new(2.0));
    let squares = [Box4(1.0), Box4::default()];
    println!("{} {}", scene.area(), total(&squares));
    if let Some(shape) = scene.largest() {
        println!("{:.1}", shape.twice());
    }
    println!("{}", squares[0]);
}
