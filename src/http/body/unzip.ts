import { createGunzip } from 'node:zlib'
import { CodedError } from '../../domain/errors.ts'
import type { PendingResponse } from '../pending-response.ts'
import { ERROR_REPLIES } from '../reply.ts'

/** Returns true for gzip, false for none. Throws unsupported_encoding. */
export function isZipped(encoding: string): boolean {
  if (encoding === '') return false
  const name = encoding.toLowerCase()
  if (name === 'gzip' || name === 'x-gzip') return true
  if (name === 'identity') return false
  throw new CodedError('unsupported_encoding')
}

/**
 * Calls `whole` with the unpacked body. Counts every unpacked byte as held while it unpacks, and stops at the first that
 * is over a limit, after answering 413 or 503; a body that is no gzip is answered 400.
 */
export function unzip(pending: PendingResponse, zipped: Buffer, maxBytes: number, whole: (body: Buffer) => void): void {
  const parts: Buffer[] = []
  let bytes = 0
  pending.uploading()
  const gunzip = createGunzip()
  gunzip.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes > maxBytes) pending.answer(ERROR_REPLIES.body_too_large)
    if (pending.over || !pending.hold(part.length)) gunzip.destroy()
    else parts.push(part)
  })
  gunzip.on('end', () => pending.over || whole(Buffer.concat(parts)))
  gunzip.on('error', () => pending.answer(ERROR_REPLIES.body_bad_encoding))
  gunzip.end(zipped)
}
