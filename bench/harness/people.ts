/** The name of a visitor: all are equally long, so that all answers are. */
export const nameOf = (person: number): string => `Person ${String(person).padStart(5, '0')}`

/** The number of the visitor whom a text names. */
export const personIn = (text: unknown): number => Number(/\d+/.exec(String(text))?.[0])

/** The address of a visitor. */
export const emailOf = (person: number): string => `person-${person}@example.com`

/** Options of a credentials provider that signs in whomever its one field names. */
export const WHOEVER_IS_NAMED = {
  credentials: { person: { label: 'Person' } },
  authorize: ({ person }: { readonly person?: unknown }) => {
    const id = personIn(person)
    return { id: String(id), name: nameOf(id), email: emailOf(id) }
  },
}
