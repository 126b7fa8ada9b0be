-- The configuration of the language server Kenning, for `vim.lsp.enable('kenning')` (Neovim 0.11
-- and later).
return require('kenning.lsp').config()
