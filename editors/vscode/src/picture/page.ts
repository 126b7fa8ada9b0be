/**
 * The HTML page of the picture. It loads nothing from outside the extension and has no inline
 * script or style.
 */
import { evidence } from '../words';

/** The variable parts of the page; `source` is the webview's own origin. */
export interface PageParts {
  source: string;
  script: string;
  style: string;
  nonce: string;
}

export function page({ source, script, style, nonce }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `style-src ${source}`,
    `script-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<title>Blast radius</title>
</head>
<body>
<header>
<h1 id="title"></h1>
<p id="keys">Arrow keys move, Enter opens a symbol, C centres it, + and - zoom, 0 shows everything.</p>
</header>
<main id="picture" tabindex="-1"></main>
<footer>
<ul id="legend">
<li><span class="dot confirmed"></span>${evidence('lsp_resolved')}</li>
<li><span class="dot resolved"></span>${evidence('ast_resolved')}</li>
<li><span class="dot name"></span>${evidence('ast_inferred')}</li>
<li><span class="dash"></span>one of several possible targets</li>
<li><span class="square"></span>test</li>
</ul>
<p id="left" role="status"></p>
</footer>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}
