import { loadOnce } from '../../kernel/awaitable.js'
import { BUTTONS_PATH, SCRIPT_PATH } from '../../pages/loaded-assets.js'
import { hasProvider, type ResolvedWebAuthnProvider } from '../../providers/provider.js'
import type { Config } from '../../sign-in/config.js'
import { type Feature, formRoute } from '../../sign-in/feature.js'
import type { Flow } from '../../sign-in/flow.js'
import { PASSKEY_TRANSACTION, type WebAuthnFlowSettings } from './dependencies.js'
import { checkPasskeys, type PasskeyOptions } from './errors.js'
import { PASSKEYS } from './operations.js'

const actions = loadOnce(() => import('./passkey-actions.js'))

const isServedBy = ({ providers }: Pick<Config, 'providers'>): boolean => hasProvider(providers, 'webauthn')

const fails = { asJson: 503, leadsBack: true, again: 'RemovePasskey' } as const

/** Passkeys: sign-in, sign-up, and what people do with theirs. */
export const passkeys: Feature<PasskeyOptions> = {
  check: checkPasskeys,
  isUsed: isServedBy,
  ways: ({ tokenSecrets, options, ...settings }) => ({
    webauthn: (provider) =>
      passkeyFlow(provider, { ...settings, secrets: tokenSecrets, recentAuthAge: options.session.recentAuthAge }),
  }),
  identities: { webauthn: async () => (await import('./passkey-identity.js')).createPasskeyKind },
  services: ({ users }, services) =>
    services.set(
      PASSKEYS,
      users && loadOnce(async () => (await import('./user-passkeys.js')).createUserPasskeys(users)),
    ),
  transaction: PASSKEY_TRANSACTION,
  pages: { account: { passkeys: async (caller) => (await actions()).passkeysPart(caller) } },
  routes: {
    passkeys: formRoute({
      GET: async (visit) => (await actions()).getPasskeys(visit),
      isServedBy,
      fails,
      below: {
        rename: formRoute({
          POST: async (visit) => (await actions()).postRenamePasskey(visit),
          isServedBy,
          fails,
        }),
        remove: formRoute({
          POST: async (visit) => (await actions()).postRemovePasskey(visit),
          isServedBy,
          fails,
        }),
      },
    }),
    'webauthn-options': {
      GET: async (visit) => (await actions()).getWebAuthnOptions(visit),
      getHasEffect: true,
      takesProvider: true,
      limit: { GET: 'requests' },
      fails: { asJson: 500 },
    },
  },
  files: [
    { path: SCRIPT_PATH, route: { GET: async (visit) => (await actions()).serveScript(visit), isServedBy } },
    { path: BUTTONS_PATH, route: { GET: async (visit) => (await actions()).serveButtonsScript(visit), isServedBy } },
  ],
}

function passkeyFlow(provider: ResolvedWebAuthnProvider, settings: WebAuthnFlowSettings): Flow {
  const load = loadOnce(async () => (await import('./webauthn-flow.js')).webAuthnFlow(provider, settings))
  return {
    callbackMethods: ['POST'],
    // The signature covers the challenge and the origin of the page, and the challenge must be that of this
    // browser's cookie.
    callbackNeedsCsrf: false,
    limits: { finish: { POST: 'requests' } },
    relyingPartyId: async (request) => (await load()).relyingPartyId(request),
    options: async (request) => (await load()).options(request),
    finish: async (request) => (await load()).finish(request),
  }
}
