import type { Adapter } from '../../adapters/adapter.js'
import { unkept } from '../../adapters/gateway.js'
import { RECORD_METHODS } from '../../adapters/methods.js'
import { loadOnce } from '../../kernel/awaitable.js'
import { AccessDenied, type AuthError, MissingAdapter } from '../../kernel/errors.js'
import { invalid } from '../../kernel/shape.js'
import { INVITED } from '../../pages/action-urls.js'
import type { Theme } from '../../pages/theme.js'
import { noticeSenderIn, type ResolvedProvider } from '../../providers/provider.js'
import { isPartShown } from '../../sign-in/account-part.js'
import type { Services } from '../../sign-in/config.js'
import { type Feature, formRoute } from '../../sign-in/feature.js'
import { type Admit, InvitationTaken, NO_SIGN_UP, type SignUpMode } from '../../users/ask-sign-up.js'
import { INVITATIONS, PEOPLE } from './operations.js'

/** The options that decide who becomes a user. */
interface SignUpOptions {
  readonly adapter?: Adapter | undefined
  readonly signUp: SignUpMode
  readonly theme: Theme
  /** Also that of the environment. */
  readonly url?: string | undefined
}

const ownAccount = loadOnce(() => import('./own-account.js'))

/** Who becomes a user, and what code of the application does with users. */
export const people: Feature<SignUpOptions> = {
  check: checkSignUp,
  services(parts, services) {
    const { users, options, providers } = parts
    services.set(PEOPLE, users && loadOnce(async () => (await import('./people.js')).createPeople(users)))
    const sender = options.signUp === 'invited' ? noticeSenderIn(providers) : null
    const load = sender && (async () => (await import('./invitations.js')).createInvitations(sender, parts))
    services.set(INVITATIONS, load && loadOnce(load))
  },
  pages: {
    async invited({ query, config }) {
      const sealed = query.get(INVITED)
      const invitations = sealed === null ? undefined : await config.services.get(INVITATIONS)?.()
      return sealed === null || !invitations ? undefined : ((await invitations.open(sealed)) ?? null)
    },
    account: {
      data: async (caller) => (await ownAccount()).dataPart(caller),
      deletion: async (caller) => (await ownAccount()).deletionPart(caller),
    },
  },
  routes: {
    export: formRoute({
      POST: async (visit) => (await ownAccount()).postExport(visit),
      fails: { asJson: 503 },
      isServedBy: (config) => isPartShown(config, 'data') && config.services.get(PEOPLE) !== null,
    }),
    delete: formRoute({
      GET: async (visit) => (await ownAccount()).showDelete(visit),
      POST: async (visit) => (await ownAccount()).postDelete(visit),
      isServedBy: (config) => isPartShown(config, 'deletion') && config.services.get(PEOPLE) !== null,
    }),
  },
}

/** Who becomes a user by signing in; null for everybody. */
export function admission(signUp: SignUpMode, services: Pick<Services, 'get'>): Admit | null {
  if (signUp === 'open') return null
  return async ({ email, emailVerified }) => {
    if (signUp === 'closed') throw notAdmitted('Nobody becomes a user here by signing in: `signUp` is "closed".')
    // Otherwise whoever knows the address of somebody who is invited could come in their place.
    if (!email || !emailVerified) throw notAdmitted('The sign-in has not confirmed an address that can be invited.')
    const invitation = await (await services.get(INVITATIONS)?.())?.take(email)
    if (invitation === 'taken') throw new InvitationTaken(NO_INVITATION, { code: NO_SIGN_UP })
    if (!invitation) throw notAdmitted(NO_INVITATION)
    return invitation
  }
}

const NO_INVITATION = 'There is no invitation for the address of this sign-in.'

const notAdmitted = (message: string) => new AccessDenied(message, { code: NO_SIGN_UP })

/** What keeps sign-ups from being refused. */
function checkSignUp({ adapter, signUp, url }: SignUpOptions, providers: readonly ResolvedProvider[]): AuthError[] {
  if (signUp === 'open') return []
  if (!adapter) return [new MissingAdapter(NO_ADAPTER)]
  if (signUp === 'closed') return []
  return [
    ...(noticeSenderIn(providers) ? [] : [invalid(NO_SENDER)]),
    ...(url === undefined ? [invalid(NO_URL)] : []),
    ...unkept(adapter, [...RECORD_METHODS, 'getUserByEmail'], 'invitations'),
  ]
}

const NO_ADAPTER =
  '`signUp` says who becomes a user, and without an adapter there are no users: everybody may sign in. Set `adapter`, or refuse people with `callbacks.signIn`.'
const NO_URL =
  '`signUp: "invited"` mails invitations without a request, so only the configuration says where the application is. Set `url` or AUTH_URL.'
const NO_SENDER =
  '`signUp: "invited"` mails invitations, and no e-mail provider can send them. Add one of Latchkey, such as Nodemailer() or Resend(), or give your Email() a `sendNotification`.'
