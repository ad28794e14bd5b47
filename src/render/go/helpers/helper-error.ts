/** A helper refused its arguments; the rendering ends and the message goes out as plain text. */
export class HelperError extends Error {}
