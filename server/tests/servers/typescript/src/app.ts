import { Circle, Scene, Square, surface } from "@lib";
import { sides, visitAll, Names as Namer } from "@lib/visit";
import * as legacy from "./legacy.js";

export function draw(print: (line: string) => void = console.log): number {
  const scene = new Scene().add(new Circle(1), Square.of(2));
  scene.on((shape) => print(shape.name));
  const total = [...scene].map((shape) => surface(shape)).reduce(add, surface(1, 2));
  visitAll(scene, new Namer()).forEach((name) => print(name));
  print(legacy.format(total));
  return total + visitAll(scene, sides).length;
}

function add(left: number, right: number): number {
  return left + right;
}
