import type { Shape } from "./shapes";

type Listener = (shape: Shape) => void;

export default class Scene<S extends Shape = Shape> {
  private readonly shapes = new Map<string, S>();
  private readonly listeners: Listener[] = [];

  get size(): number {
    return this.shapes.size;
  }

  add(...shapes: S[]): this {
    for (const shape of shapes) {
      this.shapes.set(shape.name, shape);
      this.listeners.forEach((listener) => listener(shape));
    }
    return this;
  }

  on(listener: Listener): void {
    this.listeners.push(listener);
  }

  *[Symbol.iterator](): Iterator<S> {
    yield* this.shapes.values();
  }
}
