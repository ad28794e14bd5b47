/** A press that its provider vouches for: signature or connection, app, workspace and bot were checked. */
export interface Press {
  /** As the button carried it. */
  readonly token: string
  /** The provider's identity of the press: the same for each repetition. */
  readonly key: string
  /** `name`: as the provider has it; nothing in it is trusted. A guest is of another workspace. */
  readonly actor: { readonly id: string; readonly name: string; readonly isGuest?: boolean }
  /** Id of the chat. */
  readonly place: string
  /** The chat has one person. */
  readonly isDirect: boolean
  /** As `send` of the channel gave it. */
  readonly messageId: string
}
