import type { DeclaredCookie } from '../../kernel/cookies.js'
import { InvalidConfiguration } from '../../kernel/errors.js'
import type { Config, ServiceKey } from '../../sign-in/config.js'
import type { Visit } from '../../sign-in/visit.js'
import type { SecondFactors } from './service.js'

/** The second factors of users, loaded with the first sign-in. Null if the configuration has none. */
export const SECOND_FACTORS: ServiceKey<(() => Promise<SecondFactors>) | null> = { name: 'second-factors' }

/** The page that asks for a second factor, and the one that adds it. */
export const ASKS = 'second-factor'
export const ADDS = 'second-factor/add'

/** In the query of {@link ASKS}, for whoever wants to keep a second factor that is to be taken away: whose it is. */
export const OF = 'of'

/** The page to which the mail about such a second factor leads. */
export const pageToKeep = ({ publicIds }: SecondFactors, userId: string): string =>
  `${ASKS}?${OF}=${publicIds.make([userId])}`

/** @throws {InvalidConfiguration} if the configuration has no second factor */
export async function secondFactorsIn({ services }: Pick<Config, 'services'>): Promise<SecondFactors> {
  const load = services.get(SECOND_FACTORS)
  if (load === null)
    throw new InvalidConfiguration('The configuration has no second factor. Set `secondFactor: true`, and an adapter.')
  return load()
}

/** The cookies of a browser that is not asked again, and of one in which an app is added, by the keys that configure them. */
export const FACTOR_COOKIES: Readonly<Record<'trustedBrowser' | 'offeredFactor', DeclaredCookie>> = {
  trustedBrowser: { name: 'authjs.trusted-browser' },
  offeredFactor: { name: 'authjs.offered-factor' },
}

/** A page of this feature with a parameter that the visitor has there, for whoever comes back to it. */
export function pageWith({ query }: Pick<Visit, 'query'>, page: string, name: string): string {
  const value = query.get(name)
  return value === null ? page : `${page}?${new URLSearchParams({ [name]: value })}`
}
