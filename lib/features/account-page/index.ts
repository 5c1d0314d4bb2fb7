import { loadOnce } from '../../kernel/awaitable.js'
import { type AccountPartName, PART_NAMES, SHOWN_PARTS } from '../../sign-in/account-part.js'
import type { Config } from '../../sign-in/config.js'
import { type Feature, formRoute, pointsIn } from '../../sign-in/feature.js'
import { type AccountPageOptions, shownParts } from './options.js'

const actions = loadOnce(() => import('./actions.js'))
const ownParts = loadOnce(() => import('./own-parts.js'))

/** The page on which people who are signed in see what is theirs, and change it. Features bring the parts. */
export const accountPage: Feature<{ readonly accountPage?: AccountPageOptions | false | undefined }> = {
  isServedBy: ({ services }) => services.get(SHOWN_PARTS) !== null,
  services: ({ options }, services) =>
    services.set(
      SHOWN_PARTS,
      shownParts(options.accountPage)?.map((part) =>
        typeof part === 'string' ? part : async (caller) => (await ownParts()).ownPart(part, caller),
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
    account: formRoute({
      GET: async (visit) => (await actions()).showAccount(visit),
      POST: async (visit) => (await actions()).postName(visit),
      // It leaves its forms out.
      whileActing: ['GET'],
      fails: { asJson: 503 },
    }),
  },
}

const hasStore = ({ store }: Config) => store !== null

/** What a part needs beside its feature. */
const NEEDS: Readonly<Partial<Record<AccountPartName, (config: Config) => boolean>>> = {
  profile: hasStore,
  accounts: hasStore,
  sessions: ({ endsSessions }) => endsSessions,
  tokens: ({ acceptsBearer }) => acceptsBearer,
  language: ({ renderer }) => renderer.languages.length > 0,
  data: hasStore,
  deletion: hasStore,
}

/** Logs a warning about parts that the application names, and the page never has. */
export function warnAboutParts({ parts: named = [] }: AccountPageOptions, config: Config): void {
  const made = Object.assign({}, ...pointsIn(config).pages.map(({ account }) => account))
  const isMissing = (name: AccountPartName) => !Object.hasOwn(made, name) || NEEDS[name]?.(config) === false
  const missing = PART_NAMES.filter((name) => named.includes(name) && isMissing(name))
  if (missing.length === 0) return
  const reason = `\`accountPage.parts\` names ${missing.join(', ')}, and the configuration keeps nothing of the kind, so the page is shown without. docs/guides/account-page.md says what each part needs.`
  config.logger.warn('unused-option', { reason })
}
