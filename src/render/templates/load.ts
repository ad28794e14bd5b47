import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TextRules } from '../../domain/delivery/message.ts'
import { CodedError } from '../../domain/errors.ts'
import type { ChannelTemplate, TemplateSource } from './template.ts'

/** Template file of a channel. */
export interface TemplateSpec {
  readonly channel: string
  readonly path: string
  readonly rules: TextRules
  readonly only?: NonNullable<ChannelTemplate['only']>
  /** The part of the configuration that names it, for errors; absent: the channel. */
  readonly namedBy?: string
}

/**
 * Reads and checks the templates, one after the other. Rejects with one template_invalid that lists all errors.
 * @param check throws or rejects when a template does not parse
 */
export async function loadTemplates(
  specs: readonly TemplateSpec[],
  check: (template: ChannelTemplate) => void | Promise<void>,
): Promise<ChannelTemplate[]> {
  // A set, because an error in a shared file is reported for every template that uses it.
  const errors = new Set<string>()
  const templates: ChannelTemplate[] = []
  for (const { path, namedBy, ...spec } of specs) {
    try {
      const template = { ...spec, source: readSource(path) }
      await check(template)
      templates.push(template)
    } catch (error) {
      const message = error instanceof CodedError ? error.message : `${path}: ${error}`
      // Errors of a shared file are not the rule's. The first line is followed by the place in the template.
      const isOwn = namedBy !== undefined && message.startsWith(`${path}:`)
      errors.add(isOwn ? message.replace(/(?=\n|$)/, ` (named by ${namedBy})`) : message)
    }
  }
  if (errors.size > 0) throw new CodedError('template_invalid', [...errors].join('\n'))
  return templates
}

const SHARED = /^_.*\.tmpl$/

/** Reads a template and the `_*.tmpl` files in its folder. Throws template_invalid. */
export function readSource(path: string): TemplateSource {
  const source = { file: path, text: readTemplate(path) }
  if (path.endsWith('.hbs')) return source
  const shared = filesBeside(path).map((file) => ({ file, text: readTemplate(file) }))
  return shared.length > 0 ? { ...source, shared } : source
}

function filesBeside(path: string): string[] {
  const directory = dirname(path)
  try {
    const names = readdirSync(directory).filter((name) => SHARED.test(name))
    return names.sort().map((name) => join(directory, name))
  } catch (error) {
    throw new CodedError('template_invalid', `${directory}: ${reasonOf(error)}`, { cause: error })
  }
}

/** Reads the text of a template file. Throws template_invalid when it is missing, empty or not UTF-8. */
function readTemplate(path: string): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    throw new CodedError('template_invalid', `${path}: ${reasonOf(error)}`, { cause: error })
  }
  if (text.trim() === '') throw new CodedError('template_invalid', `${path}: the file is empty`)
  return text
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'no such file'
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'the file is not UTF-8'
  return error.message
}

/** Returns the environment variables that templates may read: those of `names` that are set. */
export function allowedEnvironment(
  names: readonly string[],
  env: { readonly [name: string]: string | undefined },
): { [name: string]: string } {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
