import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { folder } from '../harness/config-file.ts'

const ROOT = join(import.meta.dirname, '../..')

test('the WebAssembly in the tree is the one that its source gives', () => {
  const file = join(folder(), 'validator.wasm')
  const compiler = join(ROOT, 'node_modules/assemblyscript/bin/asc.js')
  execFileSync(process.execPath, [compiler, '--config', 'src/validate/asconfig.json', '--outFile', file], { cwd: ROOT })
  assert.ok(readFileSync(file).equals(readFileSync(join(ROOT, 'src/validate/validator.wasm'))), 'run build:validator')
})
