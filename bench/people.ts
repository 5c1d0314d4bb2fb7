/** The name of a person. All are equally long, so that all answers are. */
export const nameOf = (person: number): string => `Person ${String(person).padStart(5, '0')}`

/** The number of the person in a text such as `person=17`. */
export const personIn = (text: unknown): number => Number(/\d+/.exec(String(text))?.[0])

export const userOf = (person: number) => ({
  id: String(person),
  name: nameOf(person),
  email: `person-${person}@example.com`,
})

/** Options of a credentials provider that signs in the person of its one field. The check itself costs nothing. */
export const CREDENTIALS = {
  credentials: { person: { label: 'Person' } },
  authorize: ({ person }: { readonly person?: unknown }) => userOf(personIn(person)),
}

/** The providers that the sign-in pages have beside credentials. */
export const PROVIDERS = ['github', 'google', 'gitlab', 'discord', 'spotify'] as const

/** Path of the OpenID provider that answers with the number of requests that did not come from browsers. */
export const BACK_CHANNEL_COUNT = '/back-channel-count'

/** The client that every application is at the OpenID provider, and the secret of every application. */
export const CLIENT = { clientId: 'bench', clientSecret: 'the secret of the client' } as const
export const SECRET = 'a secret of the benchmark, thirty-two characters or more'
