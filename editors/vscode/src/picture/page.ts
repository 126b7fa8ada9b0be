/**
 * The HTML page of the picture. It loads nothing from outside the extension and has no inline
 * script or style.
 */
import { describeEvidence } from '../words';

/** The variable parts of the page. `source` is the origin of the webview's resources. */
export interface PageParts {
  source: string;
  script: string;
  style: string;
  nonce: string;
}

/** Renders the page. */
export function renderPage({ source, script, style, nonce }: PageParts): string {
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
<p id="keys">Arrow keys move, Enter opens a symbol, C centers it, + and - zoom, 0 shows everything.</p>
</header>
<main id="picture" tabindex="-1"></main>
<footer>
<ul id="legend">
<li><span class="dot confirmed"></span>${describeEvidence('lsp_resolved')}</li>
<li><span class="dot resolved"></span>${describeEvidence('ast_resolved')}</li>
<li><span class="dot name"></span>${describeEvidence('ast_inferred')}</li>
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
