-- The tools of Kenning for avante.nvim:
--
--     require('avante').setup { custom_tools = require('kenning.chats.avante').tools }
local agents = require('kenning.agents')

local M = {}

--- Returns the arguments of a tool in avante's form, in alphabetical order.
local function to_fields(schema)
  local fields = {}
  for name, argument in vim.spairs(schema.properties) do
    table.insert(fields, {
      name = name,
      description = argument.description,
      type = argument.type,
      items = argument.items and { name = name, type = argument.items.type },
      choices = argument.enum,
      optional = true,
    })
  end
  return fields
end

--- Returns the tools for avante's option `custom_tools`.
---@return table[]
function M.tools()
  return vim.tbl_map(function(tool)
    return {
      name = 'kenning_' .. tool.name,
      description = tool.description,
      param = { type = 'table', fields = to_fields(tool.schema) },
      returns = {
        { name = 'text', description = 'The answer as Markdown', type = 'string' },
        { name = 'error', description = 'The problem, if there is no answer', type = 'string', optional = true },
      },
      func = function(input, options)
        if not options.on_complete then
          return agents.answer_now(tool.name, input, {})
        end
        agents.answer(tool.name, input, {}, options.on_complete)
        -- Return nothing, so that avante waits for `on_complete`.
      end,
    }
  end, agents.tools())
end

return M
