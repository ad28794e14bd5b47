import { checkedText, goText } from '../go-format.ts'
import { isInteger, typeName } from '../values.ts'
import { operandText, type Spec } from './operand.ts'

const MAX_NUMBER = 1e6

/** Converts the text of one operand before it is appended, for example by escaping. */
type Finish = (text: string, operand: unknown) => string

/** Equals Go's Sprintf. Bad verbs and missing operands print as in Go, for example `%!d(MISSING)`. */
export function sprintf(format: string, operands: readonly unknown[], finish: Finish): string {
  return new Formatter(format, operands, finish).run()
}

class Formatter {
  private readonly format: string
  private readonly operands: readonly unknown[]
  private readonly finish: Finish
  private at = 0
  private used = 0
  private reordered = false
  private goodIndex = true
  private text = ''

  constructor(format: string, operands: readonly unknown[], finish: Finish) {
    this.format = format
    this.operands = operands
    this.finish = finish
  }

  run(): string {
    while (this.at < this.format.length) {
      const percent = this.format.indexOf('%', this.at)
      const end = percent < 0 ? this.format.length : percent
      this.text += this.format.slice(this.at, end)
      this.at = end + 1
      if (percent >= 0) this.verb()
    }
    if (!this.reordered && this.used < this.operands.length) this.text += this.extra()
    return this.text
  }

  private extra(): string {
    let rest = ''
    for (const operand of this.operands.slice(this.used)) {
      const absent = operand === null || operand === undefined
      const shown = absent ? '<nil>' : `${typeName(operand)}=${this.finish(goText(operand), operand)}`
      rest = checkedText(`${rest}${rest === '' ? '' : ', '}${shown}`)
    }
    return `%!(EXTRA ${rest})`
  }

  private verb(): void {
    this.goodIndex = true
    const flags = this.flags()
    this.index()
    const width = this.star('width') ?? this.digits()
    const starred = width !== undefined && width < 0
    const precision = this.precision()
    this.index()
    const verb = String.fromCodePoint(this.format.codePointAt(this.at) ?? 0)
    if (this.at >= this.format.length) {
      this.text += '%!(NOVERB)'
      return
    }
    this.at += verb.length
    const minus = flags.includes('-') || starred
    this.emit({
      verb,
      minus,
      plus: flags.includes('+'),
      sharp: flags.includes('#'),
      space: flags.includes(' '),
      zero: flags.includes('0') && !minus,
      width: width === undefined ? undefined : Math.abs(width),
      precision,
    })
  }

  private emit(spec: Spec): void {
    if (spec.verb === '%') {
      this.text += '%'
    } else if (!this.goodIndex) {
      this.text += `%!${spec.verb}(BADINDEX)`
    } else if (this.used >= this.operands.length) {
      this.text += `%!${spec.verb}(MISSING)`
    } else {
      const operand = this.operands[this.used++]
      this.text = checkedText(this.text + this.finish(operandText(operand, spec), operand))
    }
  }

  private flags(): string {
    const start = this.at
    while ('#0+- '.includes(this.format[this.at] ?? '!')) this.at++
    return this.format.slice(start, this.at)
  }

  private digits(): number | undefined {
    const start = this.at
    while (/\d/.test(this.format[this.at] ?? '')) this.at++
    if (start === this.at) return undefined
    const value = Number(this.format.slice(start, this.at))
    if (value <= MAX_NUMBER) return value
    this.at = this.format.length
    return undefined
  }

  private star(what: 'width' | 'prec'): number | undefined {
    if (this.format[this.at] !== '*') return undefined
    this.at++
    const operand = this.operands[this.used]
    if (this.used < this.operands.length) this.used++
    const value = isInteger(operand) ? Number(operand) : Number.NaN
    const good = Math.abs(value) <= MAX_NUMBER && (what === 'width' || value >= 0)
    if (!good) this.text += `%!(BAD${what.toUpperCase()})`
    return good ? value : undefined
  }

  private precision(): number | undefined {
    if (this.format[this.at] !== '.') return undefined
    this.at++
    this.index()
    if (this.format[this.at] === '*') return this.star('prec')
    return this.digits() ?? 0
  }

  /** Reads `[n]`, which selects the next operand. */
  private index(): void {
    if (this.format[this.at] !== '[') return
    this.reordered = true
    const end = this.format.indexOf(']', this.at)
    if (end < 0) {
      this.goodIndex = false
      this.at++
      return
    }
    const digits = this.format.slice(this.at + 1, end)
    const wanted = /^\d+$/.test(digits) ? Number(digits) : 0
    this.at = end + 1
    if (wanted >= 1 && wanted <= this.operands.length) this.used = wanted - 1
    else this.goodIndex = false
  }
}
