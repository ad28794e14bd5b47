/** Returns the environment variables that templates may read: those of `names` that are set. */
export function allowedEnvironment(
  names: readonly string[],
  env: { readonly [name: string]: string | undefined },
): { [name: string]: string } {
  const allowed: { [name: string]: string } = {}
  for (const name of names) {
    const value = env[name]
    if (value !== undefined) allowed[name] = value
  }
  return allowed
}
