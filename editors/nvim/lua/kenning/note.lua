-- Writes and lists notes, which are Markdown files in the folder that `knowledge.folder` names.
local lsp = require('kenning.lsp')
local show = require('kenning.show')

local M = {}

--- Adds the symbol under the cursor to the argument of a command, if the buffer is in the index.
local function add_position(argument, client, buffer, window)
  if client.attached_buffers[buffer] then
    local params = vim.lsp.util.make_position_params(window, client.offset_encoding)
    argument.textDocument, argument.position = params.textDocument, params.position
  end
end

--- Writes a note with this title, linked to the symbol under the cursor, and opens it. Without a
--- title, shows the list of all notes.
---@param title string
---@param flags { to?: string, register?: string, tag?: string, position?: boolean }
function M.run(title, flags)
  local buffer, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  lsp.with_client(buffer, function(client)
    if title == '' then
      local list = { op = 'list', kind = 'note', tag = flags.tag, format = 'markdown' }
      lsp.command(client, 'kenning.knowledge', list, function(answer)
        local text = { title = 'notes', text = answer.text, filetype = 'markdown' }
        show.text(text, flags.to or 'float', flags.register)
      end, buffer)
      return
    end
    local note = { op = 'add', kind = 'note', title = title, tags = flags.tag and { flags.tag } or nil }
    if flags.position ~= false then
      add_position(note, client, buffer, window)
    end
    lsp.command(client, 'kenning.knowledge', note, function(answer)
      local entry = answer.entries[1]
      vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(entry.uri)))
    end, buffer)
  end)
end

return M
