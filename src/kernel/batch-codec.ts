/** Messages of one edge as they cross between threads. */
export type PackedBatch = Rows | Columns

interface Rows {
  readonly rows: readonly unknown[]
}

/** Messages that have the same names: what crosses a thread boundary is charged for every object, and hardly for a number or a text. */
interface Columns {
  readonly names: readonly string[]
  readonly count: number
  /** Parallel to the names; a column of one holds what all messages have in common. */
  readonly columns: readonly Column[]
}

/** Numbers as they lie in memory. */
type Column = readonly unknown[] | Float64Array

type Plain = { [name: string]: unknown }

/** Fewer are not worth their names. */
const MIN_COLUMNAR_BATCH = 4

/** `messages`, which are not changed, in the cheapest form there is. */
export function pack(messages: readonly unknown[]): PackedBatch {
  const [first] = messages
  if (messages.length < MIN_COLUMNAR_BATCH || !isPlain(first)) return { rows: messages }
  const names = Object.keys(first)
  if (!messages.every((message) => isPlain(message) && hasNames(message, names))) return { rows: messages }
  const plain = messages as readonly Plain[]
  return { names, count: plain.length, columns: names.map((name) => column(plain, name)) }
}

/** What `pack` was given, as copies that belong to this thread. */
export function unpack(packed: PackedBatch): readonly unknown[] {
  if ('rows' in packed) return packed.rows
  const { names, count, columns } = packed
  const common: Plain = {}
  names.forEach((name, at) => {
    common[name] = columns[at]?.[0]
  })
  const varying = names.flatMap((name, at) => ((columns[at]?.length ?? 0) > 1 ? [[name, columns[at]] as const] : []))
  const messages = new Array<Plain>(count)
  for (let at = 0; at < count; at++) {
    const message = { ...common }
    for (const [name, values] of varying) message[name] = values?.[at]
    messages[at] = message
  }
  return messages
}

/** Anything else loses more than its names on the way, as it does when it is cloned. */
function isPlain(message: unknown): message is Plain {
  return typeof message === 'object' && message !== null && Object.getPrototypeOf(message) === Object.prototype
}

function hasNames(message: Plain, names: readonly string[]): boolean {
  let at = 0
  for (const name in message) if (names[at++] !== name) return false
  return at === names.length
}

function column(messages: readonly Plain[], name: string): Column {
  const values = messages.map((message) => message[name])
  const [first] = values
  if (typeof first !== 'object' && values.every((value) => Object.is(value, first))) return [first]
  return values.every((value) => typeof value === 'number') ? Float64Array.from(values) : values
}
