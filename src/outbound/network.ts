/** Settings of the way from one channel to its provider. */
export interface NetworkSettings {
  /**
   * The proxy's address with its port: `http:`, `https:` or `socks5:`. User name and password stand in it,
   * percent-encoded. Empty: no proxy of the channel's own, but HTTPS_PROXY, HTTP_PROXY and NO_PROXY count.
   */
  readonly proxy: string
  /** Accepts any TLS certificate of the provider. That of an `https:` proxy is always verified. */
  readonly insecureSkipVerify: boolean
}

/** The environment decides on a proxy, and certificates are verified. */
export const DIRECT: NetworkSettings = { proxy: '', insecureSkipVerify: false }
