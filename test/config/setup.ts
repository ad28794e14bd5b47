import assert from 'node:assert/strict'
import { ConfigError } from '../../src/config/fault.ts'
import { type Loaded, loadConfig } from '../../src/config/load.ts'

export interface Setting {
  readonly env?: { readonly [name: string]: string | undefined }
  /** Files beside config.yaml that can be read, by path. */
  readonly files?: { readonly [path: string]: string }
}

/** Loads a text as config.yaml, with nothing else around it than what is given. */
export function load(yaml: string, { env = {}, files = {} }: Setting = {}): Loaded {
  const readFile = (path: string) => {
    const text = path === 'config.yaml' ? yaml : files[path]
    if (text === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' })
    return text
  }
  return loadConfig({ file: 'config.yaml', env, readFile })
}

/** The lines of the error that the text must be refused with. */
export function faultsOf(yaml: string, setting?: Setting): string[] {
  let loaded: Loaded
  try {
    loaded = load(yaml, setting)
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    assert.equal(error.code, 'config_invalid')
    return error.message.split('\n')
  }
  return assert.fail(`accepted, with the warnings ${JSON.stringify(loaded.warnings)}`)
}

/** The only fault of a text. */
export function faultOf(yaml: string, setting?: Setting): string {
  const [first = '', ...others] = faultsOf(yaml, setting)
  assert.deepEqual(others, [])
  return first
}
