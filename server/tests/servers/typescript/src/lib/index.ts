export * from "./shapes";
export { area as surface } from "./area";
export { default as Scene } from "./scene";
export type { Visitor } from "./visit";
