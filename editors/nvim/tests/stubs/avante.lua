-- A stand-in for avante.nvim. It runs the tool that a model calls like `process_tool_use` in
-- lua/avante/llm_tools/init.lua, and describes the tool's arguments to a model like
-- `llm_tool_param_fields_to_json_schema` in lua/avante/utils/init.lua.
package.preload['avante.llm_tools'] = function()
  return {
    process_tool_use = function(tools, tool_use, options)
      local tool = vim.iter(tools):find(function(tool)
        return tool.name == tool_use.name
      end)
      local result, problem = tool.func(tool_use.input, { session_ctx = {}, on_complete = options.on_complete })
      if result == nil and problem == nil then
        return
      end
      return result, problem
    end,
  }
end
package.preload['avante.utils'] = function()
  return {
    llm_tool_param_fields_to_json_schema = function(fields)
      local properties, required = {}, {}
      for _, field in ipairs(fields) do
        properties[field.name] = { type = field.type, description = field.description, enum = field.choices }
        if field.type == 'array' and field.items then
          properties[field.name].items = { type = field.items.type, description = field.items.description }
        end
        if not field.optional then
          table.insert(required, field.name)
        end
      end
      return properties, required
    end,
  }
end
