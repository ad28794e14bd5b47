import { transferHandlers } from 'comlink'

/** An error from another thread, with the code it had there. */
export class RemoteError extends Error {
  readonly code: string | undefined
  constructor(packed: PackedError) {
    super(packed.message)
    this.name = packed.name
    this.code = packed.code
    if (packed.stack !== undefined) this.stack = packed.stack
  }
}

/** What of an error survives a thread boundary; a posted Error loses its class, its own name and its code. */
export interface PackedError {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
}

export function packError(thrown: unknown): PackedError {
  if (!(thrown instanceof Error)) return { name: 'Error', message: String(thrown) }
  const code = (thrown as { code?: unknown }).code
  return {
    name: thrown.name,
    message: thrown.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(thrown.stack === undefined ? {} : { stack: thrown.stack }),
  }
}

/** Makes Comlink carry errors through `packError`; to be called once in every thread that asks or is asked. */
export function carryErrors(): void {
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
