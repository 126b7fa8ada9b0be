-- Checks that every |link| of the help pages has a tag in these pages or in Neovim's help, and that
-- no line is too long.
local pages = vim.fn.glob(vim.fn.expand('%:p:h') .. '/*.txt', true, true)
vim.opt.runtimepath:append(vim.fn.expand('%:p:h:h'))
local tags = {}
for _, file in ipairs({ vim.fn.expand('%:p:h') .. '/tags', vim.env.VIMRUNTIME .. '/doc/tags' }) do
  for _, line in ipairs(vim.fn.readfile(file)) do
    tags[line:match('^[^\t]+')] = true
  end
end
local problems = {}
for _, page in ipairs(pages) do
  for number, line in ipairs(vim.fn.readfile(page)) do
    for link in line:gmatch('|([^| ]+)|') do
      -- Usage lines write alternatives with bars.
      if not tags[link] and not line:find('^%s+%-%-') then
        table.insert(problems, ('%s:%d: there is no tag |%s|'):format(vim.fs.basename(page), number, link))
      end
    end
    if vim.fn.strdisplaywidth(line) > 85 then
      table.insert(problems, ('%s:%d: the line is too long'):format(vim.fs.basename(page), number))
    end
  end
end
if #problems > 0 then
  io.stdout:write(table.concat(problems, '\n') .. '\n')
  vim.cmd('cq!')
end
