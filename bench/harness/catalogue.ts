/** The well-known providers on the sign-in pages that are compared, beside credentials. */
export const CATALOGUE = ['github', 'google', 'gitlab', 'discord', 'spotify'] as const
