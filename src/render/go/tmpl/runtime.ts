import { CodedError } from '../../../domain/errors.ts'
import { type CompiledBody, runOptions } from '../../templates/handlebars-internals.ts'
import type { Escaper } from '../../text/escape.ts'
import { goText } from '../go-format.ts'
import { isDict } from '../helpers/collections.ts'
import type { Helper } from '../helpers/index.ts'
import { timeMethod } from '../helpers/times.ts'
import { GoTime, HelperError, isInteger, isMap, Markup, RAW, sortedKeys, truth, typeName } from '../values.ts'

const MAX_CALLS = 400
/** Limit of all printed text, including text that goes into variables, as a multiple of the output limit. */
const MAX_PRINT_FACTOR = 16
export const BREAK = 1
export const CONTINUE = 2

type Body = (dot: unknown) => string

/**
 * Runtime of generated code, one for each compiled template. Renderings are synchronous and do not nest, so its state
 * is that of the current rendering. The helpers that the template calls are its properties.
 */
export class Runtime {
  readonly constants: readonly unknown[]
  readonly bodies = new Map<string, CompiledBody>()
  /** Variables of the running template or definition; 0 is `$`. */
  frame: unknown[] = []
  /** 0, or BREAK or CONTINUE after such a statement until the loop handles it. */
  flow = 0
  /** Position of the last call. */
  line = 0
  column = 0
  private calls = 0
  /** Length of all values printed so far, including those that went into variables. */
  private printed = 0
  private readonly escaper: Escaper
  private readonly maxLength: number
  private readonly maxPrinted: number
  private readonly options: object

  constructor(escaper: Escaper, maxLength: number, constants: readonly unknown[]) {
    this.escaper = escaper
    this.maxLength = maxLength
    this.maxPrinted = maxLength * MAX_PRINT_FACTOR
    this.constants = constants
    this.options = runOptions(this)
  }

  addHelpers(helpers: ReadonlyMap<string, Helper>): void {
    for (const [name, helper] of helpers)
      Object.defineProperty(this, name, { value: helper, writable: true, enumerable: true })
  }

  /** Renders a body for a payload. */
  render(body: CompiledBody, payload: unknown): string {
    this.frame = [payload]
    this.flow = 0
    this.calls = 0
    this.printed = 0
    return body(payload, this.options)
  }

  readonly truth = truth

  field(value: unknown, name: string): unknown {
    return isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }

  fields(value: unknown, ...names: readonly string[]): unknown {
    let found = value
    for (const name of names) found = this.field(found, name)
    return found
  }

  /** Calls a field with arguments: `Set` of a dict, and methods of a time. */
  method(value: unknown, name: string, ...values: readonly unknown[]): unknown {
    if (value instanceof GoTime) return timeMethod(value, name, values)
    if (name !== 'Set' || !isDict(value) || values.length !== 2)
      throw new HelperError(`${name} has arguments but cannot be invoked as function`)
    value[goText(values[0])] = values[1]
    return value
  }

  fail(message: string): never {
    throw new HelperError(message)
  }

  /** Returns the escaped text of a value that is printed. */
  out(value: unknown): string {
    if (typeof value === 'string') {
      this.printed += value.length
      if (this.printed > this.maxPrinted) this.tooLong()
      return this.escaper.escape(value)
    }
    if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
    if (value instanceof Markup) return value[RAW]
    return value === null || value === undefined ? '' : this.escaper.escape(goText(value))
  }

  /** As `out`, between backticks. */
  outSpan(value: unknown): string {
    return this.outCode(value, this.escaper.code?.span)
  }

  /** As `out`, between fences. */
  outFence(value: unknown): string {
    return this.outCode(value, this.escaper.code?.fence)
  }

  private outCode(value: unknown, escaped = this.escaper.escape): string {
    const plain = value instanceof Markup || value === null || value === undefined ? undefined : goText(value)
    if (plain === undefined) return this.out(value)
    this.printed += plain.length
    if (this.printed > this.maxPrinted) this.tooLong()
    return escaped(plain)
  }

  /** Returns the text of all iterations; null when there are none. `key`, `item`: slots of variables, or 0. */
  range(value: unknown, key: number, item: number, body: Body): string | null {
    let text: string | null = null
    for (const [name, member] of entriesOf(value, key > 0)) {
      if (key > 0) this.frame[key] = name
      if (item > 0) this.frame[item] = member
      text = (text ?? '') + body(member)
      if (text.length > this.maxLength) this.tooLong()
      const { flow } = this
      this.flow = 0
      if (flow === BREAK) break
    }
    return text
  }

  /** Throws template_output. */
  tooLong(): never {
    throw new CodedError('template_output')
  }

  template(name: string, data: unknown): string {
    const body = this.bodies.get(name)
    if (!body) throw new HelperError(`template ${JSON.stringify(name)} not defined`)
    if (++this.calls > MAX_CALLS) throw new HelperError(`templates call one another deeper than ${MAX_CALLS} levels`)
    const { frame } = this
    this.frame = [data]
    const text = body(data, this.options)
    this.frame = frame
    this.calls--
    if (text.length > this.maxLength) this.tooLong()
    return text
  }

  include(name: unknown, data: unknown): unknown {
    return this.escaper.mark(this.template(goText(name), data))
  }
}

function* entriesOf(value: unknown, withKeys: boolean): Iterable<readonly [key: unknown, member: unknown]> {
  if (value === null || value === undefined) return
  if (Array.isArray(value)) yield* value.entries()
  else if (isMap(value)) for (const key of sortedKeys(value)) yield [key, value[key]]
  else if (!isInteger(value)) throw new HelperError(`range can't iterate over ${typeName(value)}`)
  else if (withKeys) throw new HelperError(`can't use ${value} to iterate over more than one variable`)
  else for (let at = 0; at < value; at++) yield [at, at]
}
