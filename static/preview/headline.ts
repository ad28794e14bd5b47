/** Returns the first line of a digest's text without its markup. Channels with a title or subject show it there too. */
export const headlineOf = (text: string): string => (text.split('\n')[0] ?? '').replace(/<[^>]*>|\*/g, '')
