/**
 * Returns a text on one line: runs of white space and control characters become one blank, without blanks at the ends.
 */
export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
