import { parseArgs } from 'node:util'
import { suggest } from '../config/suggest.ts'
import { type Command, UsageError } from './command.ts'

interface Option {
  /** Name of the value in the help; absent: the option takes no value. */
  readonly value?: string
  readonly description: string
}
type Options = { readonly [name: string]: Option }

/** The value of each option that takes one, and true or false for the others. */
export type ParsedArguments<O extends Options> = {
  readonly [name in keyof O]: O[name] extends { readonly value: string } ? string | undefined : boolean
}

interface CommandSpec<O extends Options> {
  readonly name: string
  readonly summary: string
  /** Lines of `--help` above the options. */
  readonly about: string
  /** Name of the argument beside the options in the help; absent: there is none. */
  readonly word?: string
  readonly options: O
  run(parsedArguments: ParsedArguments<O>, words: readonly string[]): Promise<number>
}

/** Creates a command; its help and its parser come from the same table of options. */
export function defineCommand<const O extends Options>(spec: CommandSpec<O>): Command {
  return {
    summary: spec.summary,
    usage: usageOf(spec),
    async run(args) {
      const { values, words } = parseArguments(args, spec)
      return spec.run(values, words)
    },
  }
}

/** `--config`, which most commands have. */
export const CONFIG = {
  value: 'FILE',
  description: 'the configuration; default: the file that CONFIG_PATH names, else config/config.yaml, else no file',
} as const

/** Throws a UsageError that names the wrong argument, and the nearest known name. */
function parseArguments<O extends Options>(args: readonly string[], { name, options, word }: CommandSpec<O>) {
  const types = Object.entries(options).map(([option, { value }]) => [option, { type: typeOf(value) }])
  const { tokens, values, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(types) as { [option: string]: { type: 'string' | 'boolean' } },
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (option === undefined) throw unknownOption(`tocsin ${name}`, token.rawName, optionNames(options))
    if (option.value !== undefined && (token.value === undefined || missingValue(token)))
      throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${option.value}`)
    if (option.value === undefined && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`)
  }
  if (positionals.length > 0 && word === undefined)
    throw new UsageError(`tocsin ${name} takes no ${JSON.stringify(positionals[0])}; see tocsin ${name} --help`)
  const parsedArguments = Object.entries(options).map(([option, { value }]) => [
    option,
    value === undefined ? values[option] === true : values[option],
  ])
  return { values: Object.fromEntries(parsedArguments) as ParsedArguments<O>, words: positionals }
}

/** Returns true when the next option was parsed as the value. A value with dashes is written `--name=--value`. */
const missingValue = ({ value, inlineValue }: { readonly value?: string; readonly inlineValue?: boolean }) =>
  inlineValue === false && /^-./.test(value ?? '')

/** Returns the error for a name that `what` does not have, with the nearest known one. */
export function unknownOption(what: string, name: string, known: readonly string[]): UsageError {
  const nearest = suggest(name, known)
  const guess = nearest === undefined ? `see ${what} --help` : `did you mean ${nearest}?`
  return new UsageError(`${what} does not know ${name}; ${guess}`)
}

const typeOf = (value: string | undefined) => (value === undefined ? 'boolean' : 'string')
const optionNames = (options: Options) => [...Object.keys(options), 'help'].map((name) => `--${name}`)

const WIDTH = 118
const GAP = 2

function usageOf<O extends Options>({ name, word, about, options }: CommandSpec<O>): string {
  const all: [string, Option][] = [...Object.entries(options), ['help', { description: 'print this text' }]]
  const rows = all.map(([option, { value, description }]) => [
    `--${option}${value === undefined ? '' : ` ${value}`}`,
    description,
  ])
  const column = Math.max(...rows.map(([left = '']) => left.length)) + GAP
  const lines = rows.flatMap(([left = '', description = '']) =>
    wrapText(description, WIDTH - GAP - column).map(
      (part, nth) => `  ${(nth === 0 ? left : '').padEnd(column)}${part}`,
    ),
  )
  return `tocsin ${name}${word === undefined ? '' : ` ${word}`} [OPTIONS]\n\n${about}\n\n${lines.join('\n')}`
}

function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined || line.length + word.length + 1 > width) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}
