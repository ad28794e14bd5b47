/** Headers that authenticate a request, and the secrets that no error message may contain. */
interface AuthHeaders {
  readonly headers: { readonly [name: string]: string }
  readonly secrets: readonly string[]
}

interface Credentials {
  /** Authorization scheme of the key. A key takes precedence over user name and password. */
  readonly scheme: string
  readonly key: string
  readonly username: string
  readonly password: string
  /** Addresses of the source; they may contain a password. */
  readonly addresses: readonly string[]
}

export function authHeadersOf({ scheme, key, username, password, addresses }: Credentials): AuthHeaders {
  const pair = Buffer.from(`${username}:${password}`).toString('base64')
  const secrets = [key, password, ...(password === '' ? [] : [pair]), ...addresses.map(passwordIn)]
  if (key !== '') return { headers: { authorization: `${scheme} ${key}` }, secrets }
  return { headers: username === '' ? {} : { authorization: `Basic ${pair}` }, secrets }
}

const passwordIn = (address: string) => URL.parse(address)?.password ?? ''
