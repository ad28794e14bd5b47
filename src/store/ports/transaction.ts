/**
 * Runs `work` in one transaction with one fsync. Everything `work` did is durable when this returns. When it throws,
 * nothing happened: dispatches and results that `work` returned are void, and memory is what it was before.
 *
 * When a journal entry cannot be applied, the transaction is undone, the entry is moved to quarantine, and `work` runs
 * once more without applying anything; so `work` must be safe to run twice.
 *
 * Store thread, synchronous; transactions do not nest. Throws `storage_full`, `storage_down`, and what `work` throws.
 */
export type Write = <T>(work: () => T) => T
