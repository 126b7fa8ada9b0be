// The lint rules of the extension: the strict, type-checked rules of typescript-eslint.
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', 'e2e/data/**', 'src/protocol.ts'] },
  {
    files: ['src/**/*.ts', 'test/**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { project: ['./tsconfig.json', './src/webview/tsconfig.json'] },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'max-lines': ['error', 400],
      'max-lines-per-function': ['error', 120],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    files: ['**/*.mjs'],
    extends: [tseslint.configs.base],
    rules: { 'no-unused-vars': 'error', 'max-lines': ['error', 400] },
  },
);
