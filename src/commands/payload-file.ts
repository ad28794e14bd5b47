import { readFileSync } from 'node:fs'
import type { Payload } from '../domain/incident.ts'
import { errorText } from '../text/error-text.ts'
import { isObject } from '../text/json-object.ts'
import { UsageError } from './command.ts'

const STANDARD_INPUT = 0

/** Reads the file of `--payload`; `-` is standard input. Throws a UsageError. */
export function contentOf(file: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(file === '-' ? STANDARD_INPUT : file)
  } catch (error) {
    throw new UsageError(`--payload ${file} cannot be read: ${errorText(error)}`)
  }
}

/** Throws a UsageError unless the text is a JSON object. */
export function payloadOf(text: string, file: string): Payload {
  let payload: unknown
  try {
    payload = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${errorText(error)}`)
  }
  if (!isObject(payload)) throw new UsageError(`${file} holds no JSON object`)
  return payload
}
