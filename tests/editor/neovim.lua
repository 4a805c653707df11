-- A session of `epwise lsp` in Neovim, as its user has it: text is typed into a buffer, edits are applied by the editor.
-- Started by neovim.py; EPWISE names the program, EPWISE_EXAMPLES the recipes. Lines "ok" and "FAIL" go to standard error.
local function say(text)
  io.stderr:write(text .. '\n')
end

local function check(what, holds, shown)
  say((holds and 'ok    ' or 'FAIL  ') .. what)
  if not holds then
    say(vim.inspect(shown))
    vim.cmd('cquit 1')
  end
end

local function lines_of(path)
  local lines = {}
  for line in io.lines(path) do
    lines[#lines + 1] = line
  end
  return lines
end

local folder = vim.fn.getcwd()
local client = vim.lsp.start_client({
  name = 'epwise',
  cmd = { vim.env.EPWISE, 'lsp' },
  root_dir = folder,
  init_options = { hw = 'gb200', gpus = 64, stack = 'bridge=0.6.2,te=2.14.0,torch=2.9.1' },
})
check('the server starts', client ~= nil)

local function by_code(buffer, code)
  for _, found in ipairs(vim.diagnostic.get(buffer)) do
    if found.code == code or (found.user_data and found.user_data.lsp.code == code) then
      return found
    end
  end
end

local function wait(what, holds)
  check(what, vim.wait(30000, holds, 20), vim.diagnostic.get(0))
end

local function open(name, lines)
  local buffer = vim.api.nvim_create_buf(true, false)
  vim.api.nvim_buf_set_name(buffer, folder .. '/' .. name)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.api.nvim_buf_set_option(buffer, 'filetype', 'yaml')
  vim.api.nvim_set_current_buf(buffer)
  vim.lsp.buf_attach_client(buffer, client)
  return buffer
end

local function ask(buffer, method, params)
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 30000) or {}
  local answer = answers[client] or {}
  check(method .. ' is answered', answer.error == nil and answers[client] ~= nil, answers)
  return answer.result
end

local function place(line, character)
  return { textDocument = vim.lsp.util.make_text_document_params(), position = { line = line, character = character } }
end

local function actions_at(buffer, found)
  return ask(buffer, 'textDocument/codeAction', {
    textDocument = vim.lsp.util.make_text_document_params(),
    range = { start = { line = found.lnum, character = found.col }, ['end'] = { line = found.end_lnum, character = found.end_col } },
    context = { diagnostics = {} },
  })
end

-- Diagnostics, with the places that belong to them.
local recipe = open('recipe.yaml', lines_of(vim.env.EPWISE_EXAMPLES .. '/first_look.yaml'))
wait('diagnostics appear', function() return by_code(recipe, 'batch/indivisible') ~= nil end)
local batch = by_code(recipe, 'batch/indivisible')
check('an error at its value', batch.severity == vim.diagnostic.severity.ERROR and batch.lnum == 12 and batch.col == 21, batch)
check('with related places', #batch.user_data.lsp.relatedInformation > 0, batch)

-- Hover.
check('hover tells the rule', ask(recipe, 'textDocument/hover', place(12, 23)).contents.value:find('batch/indivisible', 1, true) ~= nil)
check('and how a value came about',
  ask(recipe, 'textDocument/hover', place(2, 5)).contents.value:find('model.num_moe_experts = 128', 1, true) ~= nil)

-- A quick fix, applied by the editor.
local fix = actions_at(recipe, batch)[1]
check('quick fixes name their tier', fix.title:find('[training]', 1, true) ~= nil, fix)
vim.lsp.util.apply_workspace_edit(fix.edit, vim.lsp.get_client_by_id(client).offset_encoding)
wait('with the fix the finding goes', function() return by_code(recipe, 'batch/indivisible') == nil end)
check('the line has the new value', vim.api.nvim_buf_get_lines(recipe, 12, 13, false)[1]:find('992', 1, true) ~= nil)

-- What is typed counts, after an emoji too.
local function end_of_undo()
  vim.cmd('let &undolevels = &undolevels')
end
end_of_undo()
vim.api.nvim_buf_set_lines(recipe, 12, 13, false, { '  global_batch_size: 1001  # 😀' })
end_of_undo()
wait('a typed value counts', function() return by_code(recipe, 'batch/indivisible') ~= nil end)
vim.api.nvim_buf_set_text(recipe, 12, 21, 12, 25, { '1024' })
wait('and its correction', function() return by_code(recipe, 'batch/indivisible') == nil end)
end_of_undo()
vim.cmd('silent undo')
wait('and what is undone', function() return by_code(recipe, 'batch/indivisible') ~= nil end)
vim.cmd('silent undo')
wait('to the last', function() return by_code(recipe, 'batch/indivisible') == nil end)

-- Completion, as Ctrl-X Ctrl-O has it.
local function completed(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  local items = ask(recipe, 'textDocument/completion', place(line - 1, column)).items
  local words = {}
  for _, item in ipairs(vim.lsp.util.text_document_completion_list_to_complete_items(items, '')) do
    words[item.word] = true
  end
  return words
end
check('values are completed', completed(6, 31)['alltoall'], completed(6, 31))
vim.api.nvim_buf_set_lines(recipe, 8, 8, false, { '  moe_router_top' })
local keys = completed(9, 16)
check('keys are completed', keys['moe_router_topk: '] or keys['moe_router_topk'], keys)
vim.api.nvim_buf_set_lines(recipe, 8, 9, false, {})

-- What the framework makes of a value.
local mixture = open('mixture.yaml', lines_of(vim.env.EPWISE_EXAMPLES .. '/qwen3_moe_h100.yaml'))
local hints = ask(mixture, 'textDocument/inlayHint', {
  textDocument = vim.lsp.util.make_text_document_params(),
  range = { start = { line = 0, character = 0 }, ['end'] = { line = 1000, character = 0 } },
})
check('rewritten values have inlay hints', #hints > 0 and hints[1].label:find('→', 1, true) == 1, hints)

-- A configuration that is saved in the same editor counts at once.
local plain = { 'model:', '  num_layers: 4', '  num_moe_experts: 8', 'train:', '  global_batch_size: 10', '  micro_batch_size: 3' }
local small = open('small.yaml', plain)
wait('a third recipe has diagnostics', function() return #vim.diagnostic.get(small) > 0 end)
local wrong = vim.diagnostic.get(small)[1]
local configuration = open('.epwise.yaml', { 'ignore: [' .. (wrong.code or wrong.user_data.lsp.code) .. ']' })
vim.cmd('silent write')
wait('what a saved configuration ignores goes', function()
  return by_code(small, wrong.code or wrong.user_data.lsp.code) == nil
end)
vim.api.nvim_buf_set_lines(configuration, 0, 1, false, { 'ignor: []' })
wait('a wrong configuration is told in its own text', function() return #vim.diagnostic.get(configuration) > 0 end)

-- The end.
local pid = vim.lsp.get_client_by_id(client).rpc.pid
vim.lsp.stop_client(client)
wait('the server ends when it is told to', function() return vim.lsp.get_client_by_id(client) == nil end)
check('and its process with it', vim.wait(10000, function() return vim.loop.kill(pid, 0) ~= 0 end, 20), pid)
vim.cmd('qall!')
