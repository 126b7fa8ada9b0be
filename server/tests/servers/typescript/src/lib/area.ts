import type { Shape } from "./shapes";

export function area(shape: Shape): number;
export function area(width: number, height: number): number;
export function area(first: Shape | number, second = 0): number {
  return typeof first === "number" ? first * second : first.area();
}
