import type { KeyObject, X509Certificate } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { SingleFlights } from '../async/single-flight.ts'
import { CodedError } from '../domain/errors.ts'
import { HttpFailure, type HttpResponse } from '../outbound/http-call.ts'
import type { Outbound } from './outbound.ts'
import { bundleOf, isValid, refuseUnfit, refuseUntrusted } from './trust.ts'

interface CertificateDeps {
  readonly outbound: Outbound
  /** Names that a signing certificate may be made out to. */
  readonly signers: readonly string[]
  /** Deadline for fetching a certificate and all its issuers. */
  readonly deadlineMs: number
  /** Epoch milliseconds. */
  now(): number
  /** Monotonic milliseconds. */
  elapsed(): number
}

const MAX_BYTES = 16 * 1024
/**
 * Only certificates of the topic service are kept here, and for as long as they are valid, so that no flood of
 * forgeries can push one out.
 */
const MAX_TRUSTED = 16
const MAX_REFUSED = 256
const REFUSED_MS = 10_000
/** Fetches under way at once. */
const MAX_FETCHES = 8

/**
 * Caches the signing certificates of one topic's region. A certificate is fetched and verified when a message first
 * names it; concurrent messages share one fetch (single flight).
 */
export class Certificates {
  readonly #deps: CertificateDeps
  readonly #trusted: LRUCache<string, X509Certificate>
  readonly #refused: LRUCache<string, CodedError>
  readonly #fetches = new SingleFlights<X509Certificate>()

  constructor(deps: CertificateDeps) {
    this.#deps = deps
    this.#trusted = new LRUCache({ max: MAX_TRUSTED })
    this.#refused = new LRUCache({ max: MAX_REFUSED, ttl: REFUSED_MS, perf: { now: () => deps.elapsed() } })
  }

  /**
   * Returns the public key of a certificate. Rejects with topic_certificate, topic_unreachable, topic_busy.
   * @param address an address that `certificateAddress` has accepted; it is requested as it is
   */
  async keyAt(address: string): Promise<KeyObject> {
    const known = this.#trusted.get(address)
    if (known !== undefined && isValid(known, this.#deps.now())) return known.publicKey
    if (!this.#fetches.has(address)) this.#checkMayFetch(address)
    const { publicKey } = await this.#fetches.run(address, () => this.#fetchAndRemember(address))
    return publicKey
  }

  #checkMayFetch(address: string): void {
    const refusal = this.#refused.get(address)
    if (refusal !== undefined) throw refusal
    if (this.#fetches.size >= MAX_FETCHES) throw new CodedError('topic_busy')
  }

  async #fetchAndRemember(address: string): Promise<X509Certificate> {
    try {
      const leaf = await this.#load(address)
      this.#trusted.set(address, leaf)
      return leaf
    } catch (error) {
      if (isLasting(error)) this.#refused.set(address, error)
      throw error
    }
  }

  async #load(address: string): Promise<X509Certificate> {
    const { signers, deadlineMs, elapsed } = this.#deps
    const now = this.#deps.now()
    const end = elapsed() + deadlineMs
    const bundle = bundleOf(await this.#signing(address, end))
    refuseUnfit(bundle.leaf, signers, now)
    await refuseUntrusted(bundle, { now, fetchIssuer: (issuer) => this.#issuer(issuer, end) })
    return bundle.leaf
  }

  /**
   * Fetches the certificate. A refusal or no answer refuses the message (topic_certificate). A host that cannot be
   * reached, or answers 429 or 5xx, has the topic send the message again (topic_unreachable).
   */
  async #signing(address: string, end: number): Promise<Buffer> {
    const { status, body } = await this.#get(address, end).catch((cause: unknown) => {
      if (!(cause instanceof HttpFailure)) throw cause
      const code = cause.kind === 'unreachable' ? 'topic_unreachable' : 'topic_certificate'
      throw new CodedError(code, `the signing certificate cannot be fetched: ${cause.message}`, { cause })
    })
    if (status === 200) return body
    const code = status === 429 || status >= 500 ? 'topic_unreachable' : 'topic_certificate'
    throw new CodedError(code, `the signing certificate cannot be fetched: HTTP ${status}`)
  }

  /** Fetches an issuer. Every failure is topic_unreachable: without the issuer the certificate cannot be judged. */
  async #issuer(address: string, end: number): Promise<Buffer> {
    const unknown = (why: string, cause?: unknown) =>
      new CodedError(
        'topic_unreachable',
        `the issuer of the signing certificate cannot be fetched from ${address}: ${why}; NODE_EXTRA_CA_CERTS may name a file that holds it`,
        { cause },
      )
    const { status, body } = await this.#get(address, end).catch((cause: unknown) => {
      throw cause instanceof HttpFailure ? unknown(cause.message, cause) : cause
    })
    if (status === 200) return body
    throw unknown(`HTTP ${status}`)
  }

  #get(url: string, end: number): Promise<HttpResponse> {
    const { outbound, elapsed } = this.#deps
    return outbound.send({ url, method: 'GET', maxBytes: MAX_BYTES, deadlineMs: Math.max(0, end - elapsed()) })
  }
}

/** Returns true for a refusal that is remembered; after other failures the next message fetches again. */
function isLasting(error: unknown): error is CodedError {
  return error instanceof CodedError && error.code === 'topic_certificate' && !(error.cause instanceof HttpFailure)
}
