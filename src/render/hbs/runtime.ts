import { CodedError } from '../../domain/errors.ts'
import { goText } from '../go/go-format.ts'
import type { Helper } from '../go/helpers/index.ts'
import { isMap, Markup, RAW, stringIn, truth } from '../go/values.ts'
import type { Escaper } from '../text/escape.ts'
import { type BlockOptions, builtInBlocks } from './generator.ts'

export const BLOCKS = ['each', 'if', 'unless', 'with'] as const

type Call = (this: unknown, ...values: unknown[]) => unknown

/** Helpers that the generated code of one .hbs template calls, and the position of the last call. */
export class HbsRuntime {
  readonly helpers: { [name: string]: unknown } = Object.create(null)
  line = 1
  column = 1
  private readonly maxLength: number

  constructor(escaper: Escaper, maxLength: number, helpers: ReadonlyMap<string, Helper>) {
    this.maxLength = maxLength
    for (const [name, helper] of helpers)
      this.helpers[name] = this.withPosition((...values) => helper(...values.slice(0, -1)))
    for (const name of BLOCKS) this.helpers[name] = this.block(name)
    this.helpers.$section = this.section()
    const printer = (escaped: Escaper['escape']) => (value: unknown) =>
      value instanceof Markup ? value[RAW] : value === undefined || value === null ? '' : escaped(goText(value))
    this.helpers.$out = printer(escaper.escape)
    this.helpers.$outSpan = printer(escaper.code?.span ?? escaper.escape)
    this.helpers.$outFence = printer(escaper.code?.fence ?? escaper.escape)
    this.helpers.$raw = (value: unknown) => goText(value)
    this.helpers.lookup = (value: unknown, key: unknown) => field(value, goText(key))
    this.helpers.and = (...values: unknown[]) => values.slice(0, -1).find((value) => !truth(value)) ?? values.at(-2)
    this.helpers.or = (...values: unknown[]) => values.slice(0, -1).find(truth) ?? values.at(-2)
    this.helpers.field = field
  }

  /** Throws template_output. */
  tooLong(): never {
    throw new CodedError('template_output')
  }

  private withPosition(helper: (...values: unknown[]) => unknown): Call {
    return (...values) => {
      const { loc } = values.at(-1) as BlockOptions
      if (loc) [this.line, this.column] = [loc.start.line, loc.start.column + 1]
      return helper(...values)
    }
  }

  private block(name: (typeof BLOCKS)[number]): Call {
    const builtIn = builtInBlocks[name]
    const { bounded } = this
    return function block(this: unknown, value: unknown, options) {
      const plain = value instanceof Markup ? stringIn(value) : value
      return builtIn?.call(this, plain, bounded(options as BlockOptions))
    }
  }

  /**
   * Implements `{{#path}}`: once for a value, once per member of a list, the else part for an absent or false value.
   */
  private section(): Call {
    const { helpers } = this
    return function section(this: unknown, value: unknown, options) {
      const { fn, inverse } = options as BlockOptions
      if (Array.isArray(value)) return (helpers.each as Call).call(this, value, options)
      if (value === true) return fn(this)
      return value === false || value === null || value === undefined ? inverse(this) : fn(value)
    }
  }

  /** Bounds the text that all iterations of one block print, so that a loop cannot exhaust memory. */
  private readonly bounded = (options: BlockOptions): BlockOptions => {
    let length = 0
    const fn = (context: unknown, extra?: object) => {
      const text = options.fn(context, extra)
      length += text.length
      if (length > this.maxLength) this.tooLong()
      return text
    }
    return { ...options, fn }
  }
}

/** Returns an own member of a map, a member or the `length` of a list, or the `length` of a text. */
function field(value: unknown, name: string): unknown {
  if (isMap(value)) return Object.hasOwn(value, name) ? value[name] : undefined
  if (Array.isArray(value)) return name === 'length' || /^\d+$/.test(name) ? value[name as 'length'] : undefined
  return name === 'length' ? stringIn(value)?.length : undefined
}
