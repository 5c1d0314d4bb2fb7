/** In place of a table of the application. Its key is the `sub` of a person at the provider, which stays the same. */
const notes = new Map([['ada', ['The engine might compose music.']]])

export const notesOf = (sub: string): readonly string[] => notes.get(sub) ?? []
