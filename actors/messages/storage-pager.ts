import type { Page, PageSettlement } from '../../src/domain/oncall.ts'

/** Something that the on-call provider is to be told now. */
export interface PageDue {
  readonly kind: 'page'
  readonly page: Page
}

export interface SettlePage {
  readonly kind: 'told'
  readonly settlement: PageSettlement
}

/** Pages that the OnCallActor may hold: some on the wire, the next ones at hand. What exceeds them waits on disk. */
export const PAGE_WINDOW = 128
