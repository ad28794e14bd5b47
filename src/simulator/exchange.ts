/** One request or mail that a stand-in received. */
export interface Received {
  /** `MAIL` for a mail. */
  readonly method: string
  /** The path without the query. */
  readonly path: string
  /** The path with the query. */
  readonly url: string
  /** Headers with their names in lower case. */
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  /** The body as it arrived; for a mail, its whole source. */
  readonly body: string
  /** The parsed body; undefined when it is not JSON. */
  readonly json: unknown
  /** The texts of the message. */
  readonly text: string
  /** For a mail: the accepted recipients. */
  readonly recipients: readonly string[]
}

/** An answer of a stand-in. Parts that are left out are those of the provider's success. */
export interface Reply {
  /** HTTP status, or the SMTP code. */
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  /** An object goes out as JSON. */
  readonly body?: string | object
  /** The answer waits for this promise. */
  readonly after?: Promise<unknown>
  /** Never answers; the connection ends when the stand-in closes. */
  readonly hang?: boolean
  /** Cuts the connection instead of answering. */
  readonly reset?: boolean
  /** For a mail: the SMTP command that is answered so. Default: `data`, the end of the message. */
  readonly stage?: 'mail' | 'rcpt' | 'data'
  /** For stage `rcpt`: the recipients that are answered so. Default: all. */
  readonly recipients?: readonly string[]
}

/** A message that a stand-in keeps. */
export interface KeptMessage {
  readonly chat: string
  /** After the last edit. */
  readonly text: string
  readonly edits: number
  /** Name under which later messages of the chat replace it. */
  readonly sequence?: string
}

/** Returns the field of an object as text; '' without it. */
export function field(value: unknown, name: string): string {
  const found = typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name) : []
  return String(found?.[1] ?? '')
}
