import assert from 'node:assert/strict'
import { ConfigError } from '../../src/config/config-error.ts'
import { type Loaded, loadConfig } from '../../src/config/load.ts'

export interface Setting {
  readonly env?: { readonly [name: string]: string | undefined }
  /** Files beside config.yaml that can be read, by path. */
  readonly files?: { readonly [path: string]: string }
}

/** Loads a text as config.yaml, with only the given variables and files. */
export function load(yaml: string, { env = {}, files = {} }: Setting = {}): Loaded {
  const readFile = (path: string) => {
    const text = path === 'config.yaml' ? yaml : files[path]
    if (text === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' })
    return text
  }
  return loadConfig({ file: 'config.yaml', env, readFile })
}

/** Returns the lines of the error with which the text is refused. */
export function issuesOf(yaml: string, setting?: Setting): string[] {
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

/** Returns the only error of a text. */
export function issueOf(yaml: string, setting?: Setting): string {
  const [first = '', ...others] = issuesOf(yaml, setting)
  assert.deepEqual(others, [])
  return first
}
