import type { Page, PageSettlement } from '../../src/domain/oncall.ts'

/**
 *     storage --page--> pager
 *     storage <--told-- pager
 *
 * - page: PAGE_WINDOW. When full, pages stay pending on disk.
 * - told: settlementWindow, one place for each page that may be out.
 */

/** A page that is due: the provider is sent it now. */
export interface PageDue {
  readonly kind: 'page'
  readonly page: Page
}

export interface SettlePage {
  readonly kind: 'told'
  readonly settlement: PageSettlement
}

/** Pages that the pager may hold: those on the wire and the next ones. */
export const PAGE_WINDOW = 128
