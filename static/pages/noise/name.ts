/** The name of a destination: `chatws`, or `chatws:payments` for one beside the default. */
export const destinationName = (channel: string, target: string | null) =>
  target === null ? channel : `${channel}:${target}`
