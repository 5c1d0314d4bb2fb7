import { loadOnce } from '../../kernel/awaitable.js'
import { SHOWN_PARTS } from '../../sign-in/account-part.js'
import type { Feature } from '../../sign-in/feature.js'
import { type AccountPageOptions, shownParts } from './options.js'

const actions = loadOnce(() => import('./actions.js'))
const ownParts = loadOnce(() => import('./own-parts.js'))

/** The page on which people who are signed in see what is theirs, and change it. Features bring the parts. */
export const accountPage: Feature<{ readonly accountPage?: AccountPageOptions | false | undefined }> = {
  isServedBy: ({ services }) => services.get(SHOWN_PARTS) !== null,
  services: ({ options }, services) =>
    services.set(
      SHOWN_PARTS,
      shownParts(options.accountPage)?.map((part, index) =>
        typeof part === 'string'
          ? part
          : async (caller) => (await ownParts()).ownPart(part, `accountPage.parts[${index}]`, caller),
      ) ?? null,
    ),
  pages: {
    account: {
      profile: async (caller) => (await actions()).profilePart(caller),
      sessions: async (caller) => (await actions()).sessionsPart(caller),
      tokens: async (caller) => (await actions()).tokensPart(caller),
      language: async (caller) => (await actions()).languagePart(caller),
    },
  },
  routes: {
    account: {
      GET: async (visit) => (await actions()).showAccount(visit),
      getHasEffect: true,
      POST: async (visit) => (await actions()).postName(visit),
      limit: { POST: 'requests' },
      fails: { asPage: true, leadsBack: true },
    },
  },
}
