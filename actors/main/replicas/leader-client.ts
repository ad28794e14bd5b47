import type { Cluster, Leader } from '../../../src/cluster/contract.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import { HttpFailure, type HttpResponse } from '../../../src/outbound/http-call.ts'
import { openHttpClient } from '../../../src/outbound/http-client.ts'

/** Marks a request that a follower sent on, so that no replica sends it on again. */
export const FORWARDED = 'x-tocsin-forwarded'

interface LeaderRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With the query. */
  readonly path: string
  readonly contentType: string
  readonly body: string | Uint8Array | null
}

interface LeaderClientDeps {
  readonly cluster: Pick<Cluster, 'leader' | 'watch'>
  /** '': requests go without it. */
  gatewaySecret(): string
}

/** Longer than the slowest answer, that to a channel's test message; shorter than the time a front gives main. */
const ANSWER_MS = 55_000
const CONNECT_MS = 3_000
/** The largest page of incidents with their payloads is smaller. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const CONNECTIONS = 64

const NO_LEADER =
  'no replica leads at the moment: one takes over when the lease of the last leader has ended; ask again'
const NOT_LEADING = 'a replica sent this request on to here, and this replica does not lead: ask again'

/** Asks the leader over HTTP, with the gateway secret. */
export class LeaderClient {
  readonly #deps: LeaderClientDeps
  readonly #http = openHttpClient({ connections: CONNECTIONS, connectMs: CONNECT_MS, environmentProxy: false })
  /** Ends the requests under way to one address, when another replica leads. */
  #term = new AbortController()
  #address = ''

  constructor(deps: LeaderClientDeps) {
    this.#deps = deps
    deps.cluster.watch(() => void this.#termOf(deps.cluster.leader()?.address ?? ''))
  }

  get leads(): boolean {
    return this.#deps.cluster.leader()?.self === true
  }

  /** Throws peer_down when this replica does not lead; for requests that only a leader may answer. */
  mustLead(): void {
    if (!this.leads) throw new CodedError('peer_down', NOT_LEADING)
  }

  /** Returns the leader that can be asked. Throws peer_down. */
  leader(): Leader {
    const leader = this.#deps.cluster.leader()
    if (leader === undefined) throw new CodedError('peer_down', NO_LEADER)
    if (leader.address !== '') return leader
    const cause = `replica ${leader.name} leads and has no address`
    throw new CodedError('peer_down', `${cause}: set replica.address there to an address that the other replicas reach`)
  }

  /**
   * Returns the leader's answer, whatever its status is. Rejects with peer_down when no replica leads, the leader gives
   * no answer within 55 s, it refuses this replica's gateway secret, or another replica leads before it has answered.
   */
  async send({ method, path, contentType, body }: LeaderRequest): Promise<HttpResponse> {
    const leader = this.leader()
    const secret = this.#deps.gatewaySecret()
    const term = this.#termOf(leader.address)
    const response = await this.#http
      .send({
        url: leader.address + path,
        method,
        headers: {
          [FORWARDED]: '1',
          ...(secret === '' ? {} : { 'x-gateway-secret': secret }),
          ...(contentType === '' ? {} : { 'content-type': contentType }),
        },
        body,
        signal: AbortSignal.any([AbortSignal.timeout(ANSWER_MS), term]),
        maxBytes: MAX_ANSWER_BYTES,
        whenLonger: 'fail',
      })
      .catch((error) => {
        throw failureOf(error, { leader, gone: term.aborted })
      })
    const { status } = response
    if (secret !== '' && (status === 401 || status === 429)) {
      const cause = `replica ${leader.name} leads and refuses the gateway secret of this replica`
      throw new CodedError('peer_down', `${cause}: give all replicas the same gateway_secret`)
    }
    return response
  }

  /** Ends requests under way. */
  close(): Promise<void> {
    this.#term.abort()
    return this.#http.destroy()
  }

  #termOf(address: string): AbortSignal {
    if (this.#address !== address) {
      this.#term.abort()
      this.#term = new AbortController()
      this.#address = address
    }
    return this.#term.signal
  }
}

function failureOf(error: unknown, { leader, gone }: { leader: Leader; gone: boolean }): unknown {
  if (!(error instanceof HttpFailure)) return error
  const mayBeDone = error.written ? '; what was asked may be done' : ''
  const cause = gone
    ? `replica ${leader.name} led and leads no more${mayBeDone}: ask again`
    : `replica ${leader.name} leads and ${wayOf(error)} at ${leader.address} (${error.message})${mayBeDone}: ${ADVICE}`
  return new CodedError('peer_down', cause, { cause: error })
}

const ADVICE = 'check replica.address there, and that the network lets the replicas reach each other'

function wayOf({ kind }: HttpFailure): string {
  switch (kind) {
    case 'unreachable':
      return 'cannot be reached'
    case 'untrusted':
      return 'has no trusted certificate'
    case 'silent':
      return 'does not answer'
    case 'too_long':
      return 'gives too long an answer'
    default:
      return kind satisfies never
  }
}
