import { createRequire } from 'node:module'
import type { ParseErrorCode } from 'jsonc-parser'
import { CodedError, type ErrorCode } from '../../domain/errors.ts'
import { elementAt } from './json-scan.ts'

const require = createRequire(import.meta.url)

/** Loads the parser that knows where an error is, at the first body with one. */
const parser = (): typeof import('jsonc-parser') => require('jsonc-parser')

/** A part of a body that is parsed alone: the whole body, or one line of it. */
export interface Part {
  readonly text: string
  /** Bytes of the body before the text. */
  readonly startByte: number
  /** 1-based. */
  readonly firstLine: number
}

/**
 * Returns body_not_json with the position of the first syntax error. V8's message is not used, because it quotes the
 * payload.
 */
export function jsonError(part: Part): CodedError {
  const syntaxError = firstSyntaxError(part.text)
  if (syntaxError === undefined) return new CodedError('body_not_json')
  const within = part.text.trimStart().startsWith('[')
    ? `in element [${elementAt(part.text, syntaxError.offset)}] `
    : ''
  return errorAt('body_not_json', part, {
    offset: syntaxError.offset,
    what: `: ${wordsOf(syntaxError.code)} ${within}`,
  })
}

/** Returns an error with line, column and byte of `offset`, which counts UTF-16 units of the part's text. */
export function errorAt(code: ErrorCode, part: Part, problem: { offset: number; what: string }): CodedError {
  const before = part.text.slice(0, problem.offset)
  const lineStart = before.lastIndexOf('\n') + 1
  const line = part.firstLine + before.split('\n').length - 1
  const byte = part.startByte + Buffer.byteLength(before)
  return new CodedError(
    code,
    `${MESSAGES[code]}${problem.what}at line ${line}, column ${before.length - lineStart + 1} (byte ${byte})`,
  )
}
const MESSAGES: { [code: string]: string } = {
  body_not_json: 'the request body is not valid JSON',
  body_too_deep: 'the JSON is nested deeper than 64 levels ',
}

/**
 * Returns body_not_utf8 with the first byte that is not UTF-8. `startByte`: number of bytes of the body before these.
 */
export function utf8Error(bytes: Uint8Array, startByte: number): CodedError {
  let good = 0
  let bad = bytes.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (beginsUtf8(bytes.subarray(0, middle))) good = middle
    else bad = middle
  }
  return new CodedError('body_not_utf8', `the request body is not valid UTF-8 at byte ${startByte + good}`)
}

function beginsUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

class JsonSyntaxError extends Error {
  readonly offset: number
  readonly code: ParseErrorCode
  constructor(offset: number, code: ParseErrorCode) {
    super()
    this.offset = offset
    this.code = code
  }
}

/**
 * Throwing ends the visit at once. `visit` recurses; up to the first error the depth of the JSON is within the limit,
 * which was checked before.
 */
function firstSyntaxError(text: string): JsonSyntaxError | undefined {
  const onError = (code: ParseErrorCode, offset: number) => {
    throw new JsonSyntaxError(offset, code)
  }
  try {
    parser().visit(text, { onError }, { disallowComments: true })
    return undefined
  } catch (thrown) {
    if (thrown instanceof JsonSyntaxError) return thrown
    throw thrown
  }
}

/** Turns `PropertyNameExpected` into `property name expected`. */
const wordsOf = (code: ParseErrorCode) =>
  parser()
    .printParseErrorCode(code)
    .replace(/[A-Z]/g, (letter, at) => `${at > 0 ? ' ' : ''}${letter.toLowerCase()}`)
