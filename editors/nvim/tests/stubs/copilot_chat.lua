-- A stand-in for CopilotChat.nvim 4. It resolves `#name:`input`` in a prompt and runs the functions
-- that a model calls like lua/CopilotChat/prompts.lua and functions.lua, in a coroutine of
-- plenary.nvim.
local functions ---@type table<string, table>

--- Returns the names of arguments in the order in which a prompt passes them: required arguments
--- first.
local function argument_names(schema)
  local names = vim.tbl_keys(schema.properties)
  table.sort(names, function(a, b)
    local a_required = vim.tbl_contains(schema.required or {}, a)
    local b_required = vim.tbl_contains(schema.required or {}, b)
    if a_required ~= b_required then
      return a_required
    end
    return a < b
  end)
  return names
end

local function parse_input(input, schema)
  if type(input) == 'table' then
    return input
  end
  local parsed, parts = {}, vim.split(input, ';;')
  for number, name in ipairs(argument_names(schema)) do
    parsed[name] = parts[number] ~= '' and parts[number] or nil
  end
  return parsed
end

local prompts = {}

function prompts.execute_tool_call(name, input, config, source)
  local tool = config.functions[name]
  return pcall(tool.resolve, parse_input(input, tool.schema), source)
end

package.preload.CopilotChat = function()
  return {
    config = {},
    setup = function(options)
      functions = options.functions
      require('CopilotChat').config.functions = functions
    end,
  }
end
package.preload['CopilotChat.prompts'] = function()
  return prompts
end
-- The parts of plenary.nvim's coroutines that the functions need.
package.preload['plenary.async'] = function()
  return {
    wrap = function(func, argument_count)
      assert(argument_count == 1, 'only functions without arguments')
      return function()
        return coroutine.yield(func)
      end
    end,
    run = function(func, done)
      local thread = coroutine.create(func)
      local function step(...)
        local answer = { coroutine.resume(thread, ...) }
        assert(answer[1], answer[2])
        if coroutine.status(thread) == 'dead' then
          done(unpack(answer, 2))
        else
          answer[2](step)
        end
      end
      step()
    end,
  }
end
