/**
 * Collects the settings for the server: only values that are set explicitly. VS Code would fill in
 * every default, and the defaults would override the workspace's own `kenning.toml`.
 */

/**
 * The values of one setting as `WorkspaceConfiguration.inspect` returns them, the weakest first.
 */
export interface InspectedSetting {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/** Collects the explicitly set values of these options, nested by the dots in their names. */
export function collectSetValues(
  options: readonly string[],
  inspect: (option: string) => InspectedSetting | undefined,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const option of options) {
    const setting = inspect(option);
    const levels = [setting?.globalValue, setting?.workspaceValue, setting?.workspaceFolderValue];
    const value = levels.filter((level) => level !== undefined).reduce<unknown>(mergeValues, undefined);
    if (value !== undefined) {
      setNested(values, option.split('.'), value);
    }
  }
  return values;
}

/** Merges objects key by key, as VS Code does. Of two other values, the stronger one is used. */
function mergeValues(weak: unknown, strong: unknown): unknown {
  if (!isObject(weak) || !isObject(strong)) {
    return strong;
  }
  const result = { ...weak };
  for (const [key, value] of Object.entries(strong)) {
    result[key] = mergeValues(weak[key], value);
  }
  return result;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function setNested(target: Record<string, unknown>, path: string[], value: unknown): void {
  const [first = '', ...rest] = path;
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  const inner = target[first];
  const next = isObject(inner) ? inner : {};
  target[first] = next;
  setNested(next, rest, value);
}

/**
 * Returns the server's options: the settings in the extension's manifest that are generated from
 * the server's declarations.
 */
export function serverOptions(manifest: unknown): string[] {
  const sections: unknown = property(property(manifest, 'contributes'), 'configuration');
  const generated = (Array.isArray(sections) ? sections : []).filter((section) =>
    String(property(section, 'id')).startsWith('kenning.generated.'),
  );
  const names = generated.flatMap((section) => {
    const properties = property(section, 'properties');
    return isObject(properties) ? Object.keys(properties) : [];
  });
  return names.map((name) => name.replace(/^kenning\./, ''));
}

function property(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}
