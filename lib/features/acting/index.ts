import { loadOnce } from '../../kernel/awaitable.js'
import { invalid } from '../../kernel/shape.js'
import { type Feature, formRoute } from '../../sign-in/feature.js'
import { ACTING, type ActAsOptions, AN_HOUR } from './options.js'

/** The options that acting reads. */
interface Options {
  readonly actAs?: ActAsOptions | undefined
  readonly secondFactor?: { readonly required?: unknown } | boolean | undefined
}

const actions = loadOnce(() => import('./actions.js'))

/** Administrators who act as users: to see what those see, and never for what those decide themselves. */
export const acting: Feature<Options> = {
  check: ({ actAs, secondFactor }) => {
    if (!actAs) return []
    return [
      ...(typeof actAs.allow === 'function' ? [] : [invalid(NO_RULE)]),
      ...(isDemanded(secondFactor) ? [] : [invalid(NO_SECOND_FACTOR)]),
    ]
  },
  isServedBy: ({ services }) => services.get(ACTING) !== null,
  services: ({ options: { actAs } }, services) =>
    services.set(ACTING, actAs ? { allow: actAs.allow, maxAge: actAs.maxAge ?? AN_HOUR } : null),
  happened: {
    async ended(at, { userId: actorId, actedAs: userId }) {
      if (userId === undefined || actorId === null) return
      await (await actions()).tellEnd(at, userId, String(actorId))
    },
  },
  pages: { banner: async (session, mountUrl) => (await actions()).bannerOf(session, mountUrl) },
  routes: {
    'act-as': formRoute({
      GET: async (visit) => (await actions()).showActing(visit),
      POST: async (visit) => (await actions()).postActAs(visit),
      whileActing: ['GET'],
      // Its `callbackUrl` is where they go as the user, and not where they come from.
      fails: { leadsBack: false },
      below: {
        end: { POST: async (visit) => (await actions()).postEnd(visit), whileActing: ['POST'] },
      },
    }),
  },
}

/** Otherwise whoever has the password alone of an administrator who has none adds one, and acts. */
const isDemanded = (secondFactor: Options['secondFactor']) =>
  typeof secondFactor === 'object' && Boolean(secondFactor.required)

const NO_RULE = '`actAs.allow` is missing: the function that says which administrator may act as which user.'
const NO_SECOND_FACTOR =
  'Nobody acts as another user without a second factor. Let `secondFactor.required` name your administrators, or leave out `actAs`.'
