import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { TicketStore } from './contract.ts'

export const TICKET_MS = 30_000
const SECRET_BYTES = 20
const MAX_TICKETS = 4_096
const DIGEST_BYTES = 32
const SERIAL_BYTES = 4
const EXPIRY_BYTES = 8
const TICKET_BYTES = SERIAL_BYTES + SECRET_BYTES

/**
 * Tickets, valid once for 30 s, that stand for the gateway secret: a WebSocket of a browser cannot send the header.
 * Shared memory makes them known to all fronts of the process, because the WebSocket may reach another front than the
 * request for the ticket. Holds the digests of the latest 4,096.
 */
export class Tickets implements TicketStore {
  /** Passed to `new Tickets` on another thread. */
  readonly buffer: SharedArrayBuffer
  readonly #now: () => number
  readonly #last: Int32Array
  /** Serial number of the ticket in each slot; 0 while the slot is empty or being written. */
  readonly #serials: Int32Array
  readonly #expiries: Float64Array
  readonly #digests: Uint8Array

  /** @param now milliseconds, monotonic, the same on every thread */
  constructor(now: () => number, buffer = new SharedArrayBuffer(SHARED_BYTES)) {
    this.buffer = buffer
    this.#now = now
    this.#expiries = new Float64Array(buffer, 0, MAX_TICKETS)
    this.#serials = new Int32Array(buffer, MAX_TICKETS * EXPIRY_BYTES, MAX_TICKETS)
    this.#last = new Int32Array(buffer, MAX_TICKETS * (EXPIRY_BYTES + SERIAL_BYTES), 1)
    this.#digests = new Uint8Array(buffer, MAX_TICKETS * (EXPIRY_BYTES + SERIAL_BYTES) + SERIAL_BYTES)
  }

  issue(): string {
    const serial = (Atomics.add(this.#last, 0, 1) & SERIALS) + 1
    const ticket = Buffer.concat([Buffer.alloc(SERIAL_BYTES), randomBytes(SECRET_BYTES)])
    ticket.writeUInt32BE(serial)
    const slot = serial % MAX_TICKETS
    Atomics.store(this.#serials, slot, 0)
    this.#digests.set(digest(ticket), slot * DIGEST_BYTES)
    this.#expiries[slot] = this.#now() + TICKET_MS
    Atomics.store(this.#serials, slot, serial)
    return ticket.toString('base64url')
  }

  redeem(text: string): boolean {
    const ticket = Buffer.from(text, 'base64url')
    if (ticket.length !== TICKET_BYTES) return false
    const serial = ticket.readUInt32BE()
    const slot = serial % MAX_TICKETS
    if (serial === 0 || Atomics.load(this.#serials, slot) !== serial) return false
    const known = this.#digests.slice(slot * DIGEST_BYTES, (slot + 1) * DIGEST_BYTES)
    const isGood = timingSafeEqual(known, digest(ticket)) && this.#now() < (this.#expiries[slot] ?? 0)
    return isGood && Atomics.compareExchange(this.#serials, slot, serial, 0) === serial
  }

  revoke(): void {
    for (let slot = 0; slot < MAX_TICKETS; slot++) Atomics.store(this.#serials, slot, 0)
  }
}

const SERIALS = 2 ** 30 - 1
const SHARED_BYTES = MAX_TICKETS * (EXPIRY_BYTES + SERIAL_BYTES + DIGEST_BYTES) + SERIAL_BYTES

const digest = (ticket: Uint8Array): Buffer => hash('sha256', ticket, 'buffer')
