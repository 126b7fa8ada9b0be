/** A line of the cart. */
export interface Line {
  item: string;
  price: number;
}

/** Returns the total of the cart. */
export function cartTotal(lines: Line[]): number {
  return lines.reduce((sum, line) => sum + line.price, 0);
}

/** Describes the cart in words. */
export function describeCart(lines: Line[]): string {
  return `${lines.length} lines for ${cartTotal(lines)}`;
}
