import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml'
import { type Path, valueAt } from '../../config/config-error.ts'
import { SCHEMA_NODE } from '../../config/schema.ts'
import type { SchemaNode } from '../../config/schema-walk.ts'
import { CodedError } from '../../domain/errors.ts'
import { errorText } from '../../text/error-text.ts'
import { isObject } from '../../text/json-object.ts'
import { hasAddress, takeModel } from './models.ts'
import { adviceFor, CHANNELS_OF_VERSUS, renamed } from './renames.ts'
import { place } from './tree.ts'
import type { Imported } from './written.ts'

/** One value of their configuration, as it is written: references stay references. */
interface Leaf {
  readonly path: Path
  readonly value: unknown
  readonly where: string
}

const CHANNELS = [...CHANNELS_OF_VERSUS]
/** Types of log sources that both have. */
const SOURCE_TYPES = new Set(['file', 'loki', 'elasticsearch'])
/** Places of their configuration in a folder. */
const NAMES = ['config.yaml', 'config/config.yaml', 'config.yml', 'config/config.yml']

/** Returns the configuration of Versus Incident in a folder. Throws config_invalid. */
function configurationIn(dir: string): string {
  const found = NAMES.map((name) => join(dir, name)).find((file) => existsSync(file))
  if (found !== undefined) return found
  throw new CodedError('config_invalid', `${dir}: holds no configuration; looked for ${NAMES.join(', ')}`)
}

/** Translates their configuration. Nothing is written. */
export function translate(dir: string, dataDir: string): Imported {
  const file = configurationIn(dir)
  const out: Imported = { tree: {}, comments: new Map(), notes: [], templates: new Map() }
  const leaves = leavesOf(file)
  const their = (path: string) => leaves.find((leaf) => leaf.path.join('.') === path)?.value
  for (const leaf of leaves) takeLeaf(leaf, { out, dir, their })
  for (const [theirs, ours] of CHANNELS) {
    switchBy(out, theirs, ours)
    if (valueAt(out.tree, ['alert', ours]) !== undefined && ours !== theirs)
      out.comments.set(`alert.${ours}`, `was alert.${theirs}`)
  }
  if (valueAt(out.tree, ['topicsvc']) !== undefined) out.comments.set('topicsvc', 'was queue.sns')
  takeProxies(out, their)
  const provider = leaves.find(({ path }) => path.join('.') === PROVIDER)
  if (provider && !takeModel(out, String(resolved(provider.value)), their(BASE_URL)))
    out.notes.push({ where: provider.where, path: PROVIDER, message: 'has no counterpart: name a provider of models' })
  takeSources(out, { dir, file, path: their('agent.sources_path') })
  place(out.tree, ['storage', 'type'], 'file')
  place(out.tree, ['storage', 'file', 'data_dir'], dataDir)
  return out
}

const PROVIDER = 'agent.ai.provider'
const BASE_URL = 'agent.ai.base_url'

interface Taking {
  readonly out: Imported
  readonly dir: string
  their(path: string): unknown
}

function takeLeaf({ path, value, where }: Leaf, { out, dir, their }: Taking): void {
  const text = path.join('.')
  const note = (message: string) => out.notes.push({ where, path: text, message })
  if (value === null || value === '') return
  if (text === PROVIDER || (text === BASE_URL && hasAddress(resolved(their(PROVIDER))))) return
  if (path[0] === 'proxy' || path.at(-1) === 'use_proxy' || /^agent\.sources(_path)?\b/.test(text)) return
  const advice = adviceFor(path)
  if (advice !== undefined) return void note(advice)
  if (text === 'alert.viber.user_id') return takeViberUser({ path, value, where }, { out, their })
  if (text === 'storage.file.data_dir') return
  if (text === 'storage.type' && value !== 'file')
    return void note(
      `the history in ${JSON.stringify(value)} is not read; the import writes files, which tocsin migrate --to postgres moves to a database`,
    )
  const ours = renamed(path)
  if (!isKnown(SCHEMA_NODE, ours)) return void note('has no counterpart')
  if (valueAt(out.tree, ours) !== undefined) return void note(`has no effect: ${ours.join('.')} is given already`)
  if (ours.at(-1) === 'template_path') {
    const found = templateIn(dir, String(value))
    if (found === undefined) return void note(`there is no file ${value}, so the template of Tocsin is used`)
    out.templates.set(`${ours[1]}.tmpl`, found)
    place(out.tree, ours, `templates/${ours[1]}.tmpl`)
    out.comments.set(ours.join('.'), `was ${value}`)
    return takeAgentTemplate(found, { theirs: String(path[1]), ours: String(ours[1]) }, out)
  }
  place(out.tree, ours, value)
  if (path.at(-1) !== ours.at(-1)) out.comments.set(ours.join('.'), `was ${text}`)
}

/** A file `agent_<channel>.tmpl` beside the template prints the incidents of the log agent. */
function takeAgentTemplate(template: string, { theirs, ours }: { theirs: string; ours: string }, out: Imported): void {
  const file = join(dirname(template), `agent_${theirs}.tmpl`)
  if (!existsSync(file)) return
  out.templates.set(`agent_${ours}.tmpl`, file)
  place(out.tree, ['alert', ours, 'agent_template_path'], `templates/agent_${ours}.tmpl`)
  out.comments.set(`alert.${ours}.agent_template_path`, `was agent_${theirs}.tmpl beside the template`)
}

/** With the type `bot` a message goes to one person, whose id is `channel_id` here. */
function takeViberUser({ path, value, where }: Leaf, { out, their }: Pick<Taking, 'out' | 'their'>): void {
  const type = their('alert.viber.api_type')
  if (resolved(type) === 'bot') {
    place(out.tree, ['alert', 'messenger', 'channel_id'], value)
    out.comments.set('alert.messenger.channel_id', 'was alert.viber.user_id')
  } else
    out.notes.push({
      where,
      path: path.join('.'),
      message: 'counts with api_type "bot" only: then write it as channel_id',
    })
}

/** Their variables switch a channel on; ours have other names. So the value refers to theirs. */
function switchBy({ tree, comments }: Imported, theirs: string, ours: string): void {
  if (theirs === ours || valueAt(tree, ['alert', ours]) === undefined) return
  const enable = valueAt(tree, ['alert', ours, 'enable'])
  if (enable !== undefined && typeof enable !== 'boolean') return
  const variable = `${theirs.toUpperCase()}_ENABLE`
  place(tree, ['alert', ours, 'enable'], `\${${variable}:-${enable ?? false}}`)
  comments.set(`alert.${ours}.enable`, `${variable} still switches it, as ${ours.toUpperCase()}_ENABLE does`)
}

/** Their one proxy becomes that of each channel that uses it. */
function takeProxies(out: Imported, their: (path: string) => unknown): void {
  const keys = ['url', 'username', 'password'].map((key) => [key, their(`proxy.${key}`)] as const)
  const proxy = Object.fromEntries(keys.filter(([, value]) => value !== undefined && value !== null && value !== ''))
  for (const [theirs, ours] of CHANNELS) {
    if (their(`alert.${theirs}.use_proxy`) !== true) continue
    place(out.tree, ['alert', ours, 'proxy'], { ...proxy })
    out.comments.set(`alert.${ours}.proxy`, `was proxy, with alert.${theirs}.use_proxy`)
  }
}

function takeSources(out: Imported, { dir, file, path }: { dir: string; file: string; path: unknown }): void {
  const named = typeof path === 'string' && path !== '' ? [path] : []
  const places = [...named, 'agent_sources.yaml', 'config/agent_sources.yaml']
  const found = places.map((each) => templateIn(dir, each)).find((each) => each !== undefined)
  const inline = leavesOf(file).filter((leaf) => leaf.path.join('.').startsWith('agent.sources.'))
  const leaves = inline.length > 0 ? inline.map((leaf) => ({ ...leaf, path: leaf.path.slice(2) })) : sourceLeaves(found)
  const count = Math.max(-1, ...leaves.map(({ path }) => Number(path[0]))) + 1
  const sources: object[] = []
  for (let nth = 0; nth < count; nth++) {
    const own = leaves
      .filter((leaf) => Number(leaf.path[0]) === nth)
      .map((each) => ({ ...each, path: each.path.slice(1) }))
    const source = sourceOf(own, out, dir)
    if (source !== undefined) sources.push(source)
  }
  if (sources.length > 0) place(out.tree, ['agent', 'sources'], sources)
}

function sourceLeaves(file: string | undefined): Leaf[] {
  if (file === undefined) return []
  return leavesOf(file).map((leaf) => ({ ...leaf, path: leaf.path[0] === 'sources' ? leaf.path.slice(1) : leaf.path }))
}

const SOURCE_SCHEMA = SCHEMA_NODE.keys.get('agent')?.keys.get('sources')?.values

function sourceOf(leaves: readonly Leaf[], out: Imported, dir: string): object | undefined {
  const given = (key: string) => leaves.find(({ path }) => path.join('.') === key)?.value
  const [name, type] = [String(given('name') ?? ''), String(given('type') ?? '')]
  const [first] = leaves
  const note = (leaf: Leaf | undefined, message: string) =>
    out.notes.push({
      where: leaf?.where ?? '',
      path: `source ${name}${leaf ? `.${leaf.path.join('.')}` : ''}`,
      message,
    })
  if (!SOURCE_TYPES.has(type)) {
    note(first && { ...first, path: ['type'] }, `${type} has no counterpart: push its lines to a source of type http`)
    return undefined
  }
  const source = { name: sourceName(name), type, enable: given('enable') ?? false }
  for (const leaf of leaves) {
    const [block] = leaf.path
    if (leaf.path.length < 2 || block !== type || leaf.value === null || leaf.value === '') continue
    const path = leaf.path.join('.') === 'loki.bearer_token' ? ['loki', 'token'] : leaf.path
    if (SOURCE_SCHEMA && !isKnown(SOURCE_SCHEMA, path)) note(leaf, 'has no counterpart')
    else place(source, path, path.join('.') === 'file.path' ? logPath(dir, String(leaf.value)) : leaf.value)
  }
  return source
}

/** Returns the name with which the patterns of a source are stored: theirs may begin with the type. */
export function sourceName(name: string): string {
  return name
    .replace(/^(?:file|loki|elasticsearch):/, '')
    .replace(/[^\w.-]+/g, '-')
    .slice(0, 64)
}

/** A relative path is taken from their folder if something is there. */
function logPath(dir: string, path: string): string {
  const there = resolve(dir, path)
  return !isAbsolute(path) && !path.includes('${') && existsSync(there) ? there : path
}

/** Returns a file that they name from their working directory, which may be the folder or the one around it. */
function templateIn(dir: string, path: string): string | undefined {
  const places = isAbsolute(path) ? [path] : [join(dir, path), join(dir, basename(path)), join(dir, '..', path)]
  return places.find((each) => existsSync(each))
}

/** Returns all values of a YAML file with their lines. Throws config_invalid. */
function leavesOf(file: string): Leaf[] {
  const lines = new LineCounter()
  const document = parseDocument(readFileSync(file, 'utf8'), { lineCounter: lines, merge: true })
  const [error] = document.errors
  if (error !== undefined)
    throw new CodedError('config_invalid', `${file}: cannot be read as YAML (${errorText(error)})`)
  const leaves: Leaf[] = []
  const walk = (node: unknown, path: Path): void => {
    const at = node as Node & { range?: [number, number, number] }
    if (isMap(node))
      return node.items.forEach(({ key, value }) => walk(value, [...path, String(isScalar(key) ? key.value : key)]))
    const value = at?.toJS === undefined ? null : at.toJS(document)
    const where = `${file}:${at?.range ? lines.linePos(at.range[0]).line : 1}`
    if (Array.isArray(value) && value.some(isObject))
      return value.forEach((each, nth) => walkPlain(each, [...path, nth], where))
    leaves.push({ path, value, where })
  }
  const walkPlain = (value: unknown, path: Path, where: string): void => {
    if (isObject(value)) for (const [key, inner] of Object.entries(value)) walkPlain(inner, [...path, key], where)
    else leaves.push({ path, value, where })
  }
  walk(document.contents, [])
  return leaves
}

/** Returns whether the configuration has the key, or a map or list around it. */
function isKnown(node: SchemaNode, [key, ...rest]: Path): boolean {
  if (key === undefined) return node.kind !== 'map'
  if (node.kind === 'leaf') return false
  const inner = node.keys.get(String(key)) ?? node.values
  return inner !== undefined && isKnown(inner, rest)
}

/** Returns a text with its references replaced from the environment. */
function resolved(value: unknown): string {
  return String(value ?? '').replace(/\$\{(\w+)\}/g, (_, name: string) => process.env[name] ?? '')
}
