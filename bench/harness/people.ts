/** The name of a visitor: all are equally long, so that all answers are. */
export const nameOf = (person: number): string => `Person ${String(person).padStart(5, '0')}`

/** The number of the visitor whom a text names. */
export const personIn = (text: unknown): number => Number(/\d+/.exec(String(text))?.[0])

/** The address of a visitor. */
export const emailOf = (person: number): string => `person-${person}@example.com`
