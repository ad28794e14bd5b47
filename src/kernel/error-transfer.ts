import { types } from 'node:util'
import { transferHandlers } from 'comlink'

/** An error of another thread, with its name, stack and code. */
export class RemoteError extends Error {
  readonly code: string | undefined
  constructor(packed: PackedError) {
    super(packed.message)
    this.name = packed.name
    this.code = packed.code
    if (packed.stack !== undefined) this.stack = packed.stack
  }
}

/** An error as plain data: a posted Error would lose its class, its name and its code. */
export interface PackedError {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
}

/** Converts anything that was thrown. Never throws. */
export function packError(thrown: unknown): PackedError {
  if (!(thrown instanceof Error || types.isNativeError(thrown))) return { name: 'Error', message: text(thrown) }
  const { code } = thrown as { code?: unknown }
  return {
    name: text(thrown.name),
    message: text(thrown.message),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof thrown.stack === 'string' ? { stack: thrown.stack } : {}),
  }
}

function text(value: unknown): string {
  try {
    return String(value)
  } catch {
    return 'an error without text'
  }
}

/** Makes Comlink pass errors through `packError`. Call it once in each thread that asks or answers. */
export function registerErrorTransfer(): void {
  const original = transferHandlers.get('throw')
  if (!original) throw new Error('comlink has no transfer handler for what a call throws')
  transferHandlers.set('throw', {
    canHandle: original.canHandle,
    serialize: (thrown: { value: unknown }) => [packError(thrown.value), []],
    deserialize: (packed: PackedError) => {
      throw new RemoteError(packed)
    },
  })
}
