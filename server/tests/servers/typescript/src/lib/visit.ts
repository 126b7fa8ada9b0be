import { Circle, Square, type Shape } from "./shapes";

export interface Visitor<R> {
  circle(shape: Circle): R;
  square(shape: Square): R;
}

export class Names implements Visitor<string> {
  circle(shape: Circle): string {
    return shape.describe();
  }

  square(shape: Square): string {
    return shape.describe();
  }
}

export const sides: Visitor<number> = {
  circle: () => 0,
  square: (shape) => Math.round(shape.side),
};

export function visitAll<R>(shapes: Iterable<Shape>, visitor: Visitor<R>): R[] {
  return Array.from(shapes, (shape) => shape.accept(visitor));
}
