const OPENING = 40

const LINE = String.raw`(?::(?:line )?(?:\d+|<\*>)){1,2}`
/** `(Cart.java:12)`, `(Native Method)` and the like, after the name of a method. */
const JVM_PLACE = new RegExp(String.raw`\((?:[\w$<*>-]+\.\w{1,8}(?:${LINE})?|Native Method|Unknown Source)\)`, 'y')
/** Frames after `at`: of JavaScript, with a name or without, and of .NET, with types of arguments. */
const AFTER_AT = new RegExp(
  [
    String.raw`(?:async |new )*[\w$.<>#]{1,200}(?: \[as [\w$.]{1,100}\])? \((?:[^()\s]{1,300}${LINE}|<anonymous>|native)\)`,
    String.raw`[^()\s]{1,300}\.[cm]?[jt]sx?${LINE}`,
    `[\\w$<>\`+[\\],]{1,200}(?:\\.[\\w$<>\`+[\\],]{1,200})+\\([^()\\n]{0,300}\\)(?: in [^()\\s]{1,300}${LINE})?`,
  ].join('|'),
  'y',
)

/** Returns the index after the stack frame whose method ends at `end`, as in `shop.Cart.put(Cart.java:12)`; 0 if none. */
export function frameEndAfterMethod(text: string, end: number): number {
  if (text.charCodeAt(end) !== OPENING) return 0
  JVM_PLACE.lastIndex = end
  return JVM_PLACE.test(text) ? JVM_PLACE.lastIndex : 0
}

/** Returns the index after the stack frame that begins at `start` after the word `at`; 0 when there is none. */
export function frameEndAfterAt(text: string, start: number): number {
  AFTER_AT.lastIndex = start
  return AFTER_AT.test(text) ? AFTER_AT.lastIndex : 0
}
