-- Checks that every |link| of the help pages in the current folder leads to one of their tags or of
-- Neovim's.
local pages = vim.fn.glob(vim.fn.expand('%:p:h') .. '/*.txt', true, true)
vim.opt.runtimepath:append(vim.fn.expand('%:p:h:h'))
local tags = {}
for _, file in ipairs({ vim.fn.expand('%:p:h') .. '/tags', vim.env.VIMRUNTIME .. '/doc/tags' }) do
  for _, line in ipairs(vim.fn.readfile(file)) do
    tags[line:match('^[^\t]+')] = true
  end
end
local broken = {}
for _, page in ipairs(pages) do
  for number, line in ipairs(vim.fn.readfile(page)) do
    for link in line:gmatch('|([^| ]+)|') do
      -- Choices between words are also written with bars.
      if not tags[link] and not line:find('^%s+%-%-') then
        table.insert(broken, ('%s:%d: |%s| leads nowhere'):format(vim.fs.basename(page), number, link))
      end
    end
    if vim.fn.strdisplaywidth(line) > 85 then
      table.insert(broken, ('%s:%d: the line is too long'):format(vim.fs.basename(page), number))
    end
  end
end
if #broken > 0 then
  io.stdout:write(table.concat(broken, '\n') .. '\n')
  vim.cmd('cq!')
end
