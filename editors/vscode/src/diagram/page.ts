/**
 * The HTML page of the diagram. It loads nothing from outside the extension and has no inline
 * script or style.
 */

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
<div>
<h1 id="title"></h1>
<p id="summary"></p>
</div>
<div id="tools" role="toolbar" aria-label="Diagram">
<button id="reset" title="Reset the diagram">Reset</button>
<button id="zoom-out" title="Zoom out (-)" aria-label="Zoom out">−</button>
<button id="zoom-in" title="Zoom in (+)" aria-label="Zoom in">+</button>
<button id="zoom-all" title="Fit the diagram (0)">Fit</button>
</div>
</header>
<main>
<div id="diagram" role="group" aria-label="Diagram of the dependents" tabindex="-1"></div>
<aside aria-label="List of the dependents">
<input id="filter" type="search" placeholder="Filter by name, kind or file (/)" aria-label="Filter the list and the diagram">
<div id="list"></div>
</aside>
</main>
<footer>
<p><span id="status" role="status"></span> <button id="more" hidden></button></p>
<ul id="legend" aria-label="Legend"></ul>
<p id="keys">Arrow keys move, Enter opens, C centers, X closes a folder, / filters, + and - zoom, 0 fits the diagram.</p>
</footer>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}
