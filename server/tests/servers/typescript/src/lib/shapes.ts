import type { Visitor } from "./visit";

export interface Shape {
  readonly name: string;
  area(): number;
  accept<R>(visitor: Visitor<R>): R;
}

export abstract class Base implements Shape {
  constructor(readonly name: string) {}

  abstract area(): number;

  abstract accept<R>(visitor: Visitor<R>): R;

  describe(): string {
    return `${this.label()} of ${this.area().toFixed(1)}`;
  }

  protected label(): string {
    return this.name.toUpperCase();
  }
}

export class Circle extends Base {
  constructor(private readonly radius: number) {
    super("circle");
  }

  area(): number {
    return Math.PI * this.radius ** 2;
  }

  accept<R>(visitor: Visitor<R>): R {
    return visitor.circle(this);
  }
}

export class Square extends Base {
  side = 1;

  static of(side: number): Square {
    const square = new Square("square");
    square.side = side;
    return square;
  }

  area(): number {
    return this.side * this.side;
  }

  accept<R>(visitor: Visitor<R>): R {
    return visitor.square(this);
  }

  protected override label(): string {
    return "[" + super.label() + "]";
  }
}
