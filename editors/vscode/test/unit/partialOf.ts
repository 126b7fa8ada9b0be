/** Helper for server answers that have only the fields that a test reads. */

/** Returns some of a type's fields as a value of the type. */
export function partialOf<T>(fields: Partial<T>): T {
  return fields as T;
}
