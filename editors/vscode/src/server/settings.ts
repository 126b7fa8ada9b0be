/**
 * The settings as they are sent to the server: only values that are set explicitly. VS Code would
 * fill in every default, and those would override the workspace's own `kenning.toml`.
 */

/**
 * The values of one setting as `WorkspaceConfiguration.inspect` returns them, the weakest first.
 */
export interface Inspected {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/** Collects the explicitly set values of these options, nested by the dots in their names. */
export function setValues(
  options: readonly string[],
  inspect: (option: string) => Inspected | undefined,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const option of options) {
    const found = inspect(option);
    const levels = [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue];
    const value = levels.filter((level) => level !== undefined).reduce<unknown>(merged, undefined);
    if (value !== undefined) {
      put(values, option.split('.'), value);
    }
  }
  return values;
}

/** Merges two values: objects key by key, as VS Code does; otherwise the stronger value wins. */
function merged(weak: unknown, strong: unknown): unknown {
  if (!isObject(weak) || !isObject(strong)) {
    return strong;
  }
  const both = { ...weak };
  for (const [key, value] of Object.entries(strong)) {
    both[key] = merged(weak[key], value);
  }
  return both;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function put(into: Record<string, unknown>, path: string[], value: unknown): void {
  const [first = '', ...rest] = path;
  if (rest.length === 0) {
    into[first] = value;
    return;
  }
  const inner = into[first];
  const next = isObject(inner) ? inner : {};
  into[first] = next;
  put(next, rest, value);
}

/**
 * Returns the server's options among the settings that the extension declares: those generated from
 * the server's declarations.
 */
export function serverOptions(manifest: unknown): string[] {
  const sections: unknown = get(get(manifest, 'contributes'), 'configuration');
  const generated: unknown = Array.isArray(sections)
    ? sections.find((section) => get(section, 'id') === 'kenning.generated')
    : undefined;
  const properties = get(generated, 'properties');
  return isObject(properties) ? Object.keys(properties).map((key) => key.replace(/^kenning\./, '')) : [];
}

function get(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}
