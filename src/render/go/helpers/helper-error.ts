/** Invalid arguments of a helper. The rendering fails, and the message goes out as plain text. */
export class HelperError extends Error {}
