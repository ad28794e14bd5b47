/** What steers a terminal or turns a line around instead of being shown; line feeds and tabs are left. */
const CONTROL_CHARACTERS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** A text of somebody else's, fit for a terminal. */
export const visible = (text: string): string => text.replace(CONTROL_CHARACTERS, '\ufffd')

/** The same JSON, fit for a terminal; of JSON without line ends. */
export const visibleJson = (json: string): string =>
  json.replace(CONTROL_CHARACTERS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
