-- Settings of luacheck, which scripts/test-nvim runs.
std = 'luajit'
read_globals = { 'vim' }
globals = { 'vim.g', 'vim.o', 'vim.bo', 'vim.wo', 'vim.b', 'vim.opt', 'vim.notify', 'vim.notify_once', 'vim.ui' }
max_line_length = 120
files['lua/kenning/settings.lua'].max_line_length = false
