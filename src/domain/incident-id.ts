/**
 * Ids of incidents: UUIDv7 (RFC 9562). Its last 48 bits are the incident's number, so an id names its place in the
 * journal, and ids sort in the order of commit. The other bits are 48 bits of time, version, variant and 26 random bits.
 */

/** Characters of an id before the digits of the number: `xxxxxxxx-xxxx-7xxx-xxxx-`. */
const PREFIX_CHARACTERS = 24
const NUMBER_DIGITS = 12
/** Bytes of an id before the number. */
export const ID_PREFIX_BYTES = 10
const DASH_AFTER: readonly number[] = [3, 5, 7, 9]
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Returns the first 24 characters of the ids whose first ten bytes are these. */
export function idPrefixText(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < ID_PREFIX_BYTES; at++) {
    text += HEX[bytes[at] as number]
    if (DASH_AFTER.includes(at)) text += '-'
  }
  return text
}

/** Returns the id of the incident with this number. `prefix`: as `idPrefixText` returns it. */
export const incidentId = (prefix: string, number: number): string =>
  prefix + number.toString(16).padStart(NUMBER_DIGITS, '0')

/** Returns the number that an id would have; undefined when the text is no id. Ids of version 1.4.0 yield any number. */
export function incidentNumberOf(id: string): number | undefined {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)
    ? Number.parseInt(id.slice(PREFIX_CHARACTERS), 16)
    : undefined
}
