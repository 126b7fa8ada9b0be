/** The names of the VS Code icons for the kinds of symbols. */
export const SYMBOL_ICONS: Record<string, string> = {
  function: 'symbol-function',
  method: 'symbol-method',
  constructor: 'symbol-constructor',
  class: 'symbol-class',
  struct: 'symbol-struct',
  enum: 'symbol-enum',
  interface: 'symbol-interface',
  trait: 'symbol-interface',
  type: 'symbol-class',
  record: 'symbol-struct',
  module: 'symbol-module',
  field: 'symbol-field',
  constant: 'symbol-constant',
  variable: 'symbol-variable',
  section: 'symbol-string',
  file: 'symbol-file',
};
