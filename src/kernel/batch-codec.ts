/** Messages of one edge in the form in which they are posted to the other thread. */
export type PackedBatch = Rows | Columns

interface Rows {
  readonly rows: readonly unknown[]
}

/**
 * Messages with the same property names, column by column: cloning costs much for an object and little for a number or
 * text.
 */
interface Columns {
  readonly names: readonly string[]
  readonly count: number
  /** Parallel to the names. A column with one value holds the value that all messages share. */
  readonly columns: readonly Column[]
}

/** A typed array for numbers: it is copied as one block. */
type Column = readonly unknown[] | Float64Array

type Plain = { [name: string]: unknown }

/** Smaller batches are posted as rows: the column names would cost more than they save. */
const MIN_COLUMNAR_BATCH = 4

/** Returns `messages` in the form that is cheapest to clone. Does not change them. */
export function pack(messages: readonly unknown[]): PackedBatch {
  const [first] = messages
  if (messages.length < MIN_COLUMNAR_BATCH || !isPlain(first)) return { rows: messages }
  const names = Object.keys(first)
  if (!messages.every((message) => isPlain(message) && hasNames(message, names))) return { rows: messages }
  const plain = messages as readonly Plain[]
  return { names, count: plain.length, columns: names.map((name) => column(plain, name)) }
}

/** Returns the messages that `pack` was given, as objects of this thread. */
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

/** True for an object literal. Other objects go as rows and lose their prototype when they are cloned. */
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
