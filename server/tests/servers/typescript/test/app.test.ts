import { draw } from "../src/app";
import { Circle } from "../src/lib/shapes";

function check(ok: boolean): void {
  if (!ok) throw new Error("failed");
}

export function testDraw(): void {
  const lines: string[] = [];
  check(draw((line) => lines.push(line)) > 0);
  check(new Circle(2).describe().startsWith("CIRCLE"));
}
