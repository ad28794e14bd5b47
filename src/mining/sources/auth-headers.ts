/** How a source is asked, and what of that no fault may repeat. */
interface AuthHeaders {
  readonly headers: { readonly [name: string]: string }
  readonly secrets: readonly string[]
}

interface Credentials {
  /** The source's own scheme and key; counts before the password. */
  readonly scheme: string
  readonly key: string
  readonly username: string
  readonly password: string
  /** Where the source is; may hold a password of its own. */
  readonly addresses: readonly string[]
}

export function authHeadersOf({ scheme, key, username, password, addresses }: Credentials): AuthHeaders {
  const pair = Buffer.from(`${username}:${password}`).toString('base64')
  const secrets = [key, password, ...(password === '' ? [] : [pair]), ...addresses.map(passwordIn)]
  if (key !== '') return { headers: { authorization: `${scheme} ${key}` }, secrets }
  return { headers: username === '' ? {} : { authorization: `Basic ${pair}` }, secrets }
}

const passwordIn = (address: string) => URL.parse(address)?.password ?? ''
