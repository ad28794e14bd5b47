interface Credentials {
  /** Authorization scheme of the key. A key takes precedence over user name and password. */
  readonly scheme: string
  readonly key: string
  readonly username: string
  readonly password: string
  /** Addresses of the source; they may contain a password. */
  readonly addresses: readonly string[]
}

/** Returns the headers that authenticate a request, and the secrets that no error message may contain. */
export function authHeadersOf({ scheme, key, username, password, addresses }: Credentials) {
  const pair = Buffer.from(`${username}:${password}`).toString('base64')
  const secrets = [key, password, ...(password === '' ? [] : [pair]), ...addresses.map(passwordIn)]
  const login: { [name: string]: string } = username === '' ? {} : { authorization: `Basic ${pair}` }
  return { headers: key === '' ? login : { authorization: `${scheme} ${key}` }, secrets }
}

const passwordIn = (address: string) => URL.parse(address)?.password ?? ''
