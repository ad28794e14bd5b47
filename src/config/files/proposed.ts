import { isMap, isScalar, parseDocument } from 'yaml'
import { isObject } from '../../text/json-object.ts'
import { ConfigError } from '../config-error.ts'
import { grafted } from './graft.ts'
import { type ParsedSource, readSource } from './source.ts'

/** Sections that are to be tried in place of those in force. */
export interface ProposedText {
  /** Stands for the file in errors and warnings. */
  readonly file: string
  /** YAML. */
  readonly text: string
}

const PROPOSED_SECTIONS: readonly string[] = ['routes', 'schedules', 'silences', 'noise']
/** Who is asked, with addresses and secrets: a service tries its own. */
const ONCALL_SECTIONS: readonly string[] = ['people', 'oncall']

/**
 * Returns `main` with the sections of the text in place of its own. Throws config_invalid for another section, and for
 * references: who proposes sections need not be allowed to read variables and files.
 */
export function withProposed(main: ParsedSource, { file, text }: ProposedText): ParsedSource {
  const reference = text.split('\n').findIndex((each) => each.includes('${'))
  if (reference >= 0) throw refused(`${file}:${reference + 1}`, REFERENCE)
  const { source, warnings } = readSource(file, text, { variable: () => undefined, file: () => '' })
  const { value } = source
  if (!isObject(value)) throw refused(file, `must hold a map with any of ${PROPOSED_SECTIONS.join(', ')}`)
  const others = Object.keys(value).filter((key) => !PROPOSED_SECTIONS.includes(key))
  if (others.length > 0)
    throw new ConfigError(others.map((key) => ({ where: source.where([key]), path: [key], message: OTHER })))
  return {
    source: Object.keys(value).reduce(
      (into, key) => grafted(into, [key], { ...source, value: value[key] ?? undefined }, [key]),
      main.source,
    ),
    issues: main.issues,
    warnings: [...main.warnings, ...warnings],
  }
}

const OTHER = `cannot be tried here: only ${PROPOSED_SECTIONS.join(', ')} can`
const REFERENCE =
  'has a reference that begins with "${": it is not replaced here, so that no variable and no file can be read; write the value'

const refused = (where: string, message: string) => new ConfigError([{ where, path: [], message }])

/**
 * Returns the text of a configuration without the sections that cannot be proposed, each line in its place. A section
 * that is absent has no value in the result. Text that is no map is returned as it is: who reads it reports the error.
 */
export function proposedSections(text: string): string {
  const items = sectionsOf(text)
  if (items === undefined) return text
  const kept = items.map(({ name, from }, at) => {
    const part = text.slice(from, items[at + 1]?.from ?? text.length)
    return PROPOSED_SECTIONS.includes(name) ? part : part.replace(/[^\n]/g, '')
  })
  const before = text.slice(0, items[0]?.from ?? 0).replace(/[^\n]/g, '')
  const absent = PROPOSED_SECTIONS.filter((name) => !items.some((item) => item.name === name))
  return [before, ...kept, '\n', ...absent.map((name) => `${name}:\n`)].join('')
}

/** Returns the names of the sections of on-call in the text of a configuration, which cannot be proposed. */
export const oncallSections = (text: string): readonly string[] =>
  (sectionsOf(text) ?? []).map(({ name }) => name).filter((name) => ONCALL_SECTIONS.includes(name))

/** Returns the sections of a configuration with their places in its text; undefined: it is no map. */
function sectionsOf(text: string) {
  const doc = parseDocument(text, { logLevel: 'silent' })
  if (doc.errors.length > 0 || !isMap(doc.contents)) return undefined
  return doc.contents.items.map(({ key }) => ({
    name: isScalar(key) ? String(key.value) : '',
    from: isScalar(key) ? (key.range?.[0] ?? 0) : 0,
  }))
}
