/**
 * Typed questions: main asks, one actor of another thread answers once, before a deadline.
 *
 * An interface with one method for each question describes what an actor answers. The method's name is the `kind` of
 * the question, its parameter holds the other fields, its result is the answer:
 *
 *     interface StorageQueries { incident(query: { readonly id: string }): IncidentDetail | undefined }
 *     const found = await askStorage({ kind: 'incident', id })           with askStorage: Ask<StorageQueries>
 *     const answers = { incident: ({ id }) => store.incident(id) }       with answers: Answers<StorageQueries>
 */
export type Ask<Q> = <K extends keyof Q>(
  query: { readonly kind: K } & Fields<Q[K]>,
  deadlineMs?: number,
) => Promise<Answer<Q, K>>

/** All questions of an interface, as a union tagged by `kind`. */
export type Query<Q, K extends keyof Q = keyof Q> = {
  readonly [P in K & string]: { readonly kind: P } & Fields<Q[P]>
}[K & string]

type Answer<Q, K extends keyof Q> = Q[K] extends (query: never) => infer A ? A : never

/** The answering side: one function for each question. */
export type Answers<Q> = {
  readonly [K in keyof Q]: (query: Fields<Q[K]>) => Answer<Q, K> | Promise<Answer<Q, K>>
}

type Fields<Method> = Method extends (query: infer F) => unknown ? F : never

/** Gives an untyped ask the types of one actor's questions. What crossed a thread is trusted here and nowhere else. */
export function typedAsk<Q>(ask: (query: Query<Q>, deadlineMs?: number) => Promise<unknown>): Ask<Q> {
  return ask as Ask<Q>
}

/** Answers a question that crossed a thread. Throws what the answering function throws. */
export function answerFrom<Q>(answers: Answers<Q>, query: unknown): unknown {
  const { kind } = query as Query<Q>
  return (answers[kind] as (query: unknown) => unknown)(query)
}
