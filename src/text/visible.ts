/** Control and bidirectional characters, but line feed and tab. */
const CONTROL_CHARACTERS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Returns foreign text without characters that control a terminal. */
export const visible = (text: string): string => text.replace(CONTROL_CHARACTERS, '\ufffd')

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Returns JSON, or text with JSON in it, as ASCII for a header: the values stay the same. */
export const asciiJson = (json: string): string => json.replace(/[^\x20-\x7e]/g, escaped)

/** Returns JSON on one line with such characters escaped: the value stays the same. */
export const visibleJson = (json: string): string => json.replace(CONTROL_CHARACTERS, escaped)
