import { isRecord } from '../../kernel/describe-value.js'
import { AuthError, withoutDetails } from '../../kernel/errors.js'
import { onlyParameter } from '../../kernel/urls.js'
import { foldAddress, parseAddress } from '../../providers/mail/address.js'
import { usableId } from '../../providers/profile-mapping.js'
import type {
  RelayingParty,
  User,
  WebAuthnHookOptions,
  WebAuthnHookRequest,
  WebAuthnUserInfo,
} from '../../providers/provider.js'
import { mayAddTo } from '../../users/signed-in-user.js'
import type { PasskeyRequest } from './dependencies.js'

type HookAction = WebAuthnHookRequest['action']

/** The relying party of a request, resolved: one id, and every origin that is accepted. */
export interface Party {
  readonly id: string
  readonly name: string
  readonly origins: readonly string[]
}

/**
 * The relying party of a request: what the provider's hook gives, else the public origin. Configured members replace
 * the members of either.
 *
 * @throws {AuthError} when the hook throws or gives no relying party
 */
export function partyOf(at: PasskeyRequest, action: HookAction): Party {
  const { request, provider } = at
  const url = new URL(request.origin)
  const { id, name, origin } = provider.relayingParty
  const base = askForParty(at, action) ?? { id: url.hostname, name: url.host, origin: url.origin }
  const ids = listOf(id ?? base.id)
  const party: Party = {
    // Of several domains, the domain of this request: a page may only use passkeys of its own domain.
    id: ids.find((domain) => url.hostname === domain || url.hostname.endsWith(`.${domain}`)) ?? ids[0] ?? '',
    name: listOf(name ?? base.name)[0] ?? '',
    origins: listOf(origin ?? base.origin),
  }
  const isComplete = [party.id, party.name, ...party.origins].every((text) => typeof text === 'string' && text !== '')
  if (isComplete && party.origins.length > 0) return party
  throw failed(at, 'getRelayingParty() gave no id, name or origin.')
}

function askForParty(at: PasskeyRequest, action: HookAction): RelayingParty | undefined {
  try {
    return at.provider.source.getRelayingParty?.(...hookArguments(at, action))
  } catch (error) {
    throw failed(at, 'getRelayingParty() threw.', error)
  }
}

/**
 * The user that a signed-out visitor claims to be; null when the request names no user.
 *
 * @throws {AuthError} when the hook throws, or gives a stored user without an id
 */
async function userInfoOf(at: PasskeyRequest): Promise<WebAuthnUserInfo | null> {
  const { request, provider, store } = at
  const { source } = provider
  if (!source.getUserInfo) return byAddress(onlyParameter(request.query, 'email'), store)
  let info: WebAuthnUserInfo | null
  try {
    info = (await source.getUserInfo(...hookArguments(at, 'webauthn-options'))) ?? null
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw failed(at, 'getUserInfo() threw.', error)
  }
  if (info === null) return null
  if (!isRecord(info) || !isRecord(info.user) || (info.exists && usableId((info.user as User).id) === null)) {
    throw failed(at, 'getUserInfo() gave no user, or a stored one without an id.')
  }
  return info
}

async function byAddress(
  entered: string | undefined,
  store: PasskeyRequest['store'],
): Promise<WebAuthnUserInfo | null> {
  const email = entered === undefined ? null : parseAddress(entered)
  if (email === null) return null
  const user = await store.getUserByEmail(email)
  // Passkeys are listed for the address of the user alone. For the others as well, they would say which addresses are one person's.
  const isTheirs = user?.email && foldAddress(user.email) === foldAddress(email)
  return isTheirs ? { user, exists: true } : { user: { email }, exists: false }
}

/** What hooks get. Hooks that were written for Auth.js read the same members. */
function hookArguments(
  { request, provider, store }: PasskeyRequest,
  action: HookAction,
): [WebAuthnHookOptions, WebAuthnHookRequest] {
  const { incoming, origin, mountUrl, query, fields, cookies } = request
  const isPost = incoming.method === 'POST'
  return [
    { provider: provider.source, adapter: store.adapter, url: new URL(mountUrl), action },
    {
      url: new URL(origin + incoming.target),
      method: isPost ? 'POST' : 'GET',
      headers: Object.fromEntries(incoming.headers()),
      cookies: Object.fromEntries(cookies),
      query: Object.fromEntries(query),
      ...(isPost && { body: { ...fields } }),
      action,
      providerId: provider.id,
    },
  ]
}

const listOf = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value)

const failed = ({ provider }: PasskeyRequest, what: string, error?: unknown) =>
  new AuthError(`Provider "${provider.id}": ${what}`, error === undefined ? undefined : { err: withoutDetails(error) })

/** The person that a ceremony is for. */
export type CeremonyPerson =
  | { readonly kind: 'signed in'; readonly user: User & { id: string }; readonly mayAdd: boolean }
  | { readonly kind: 'known'; readonly user: User & { id: string } }
  | { readonly kind: 'new'; readonly user: Omit<User, 'id'> }
  | { readonly kind: 'nobody' }

/** The person that a request's ceremony is for: the principal; without a principal, what `getUserInfo()` gives. */
export async function personOf(at: PasskeyRequest): Promise<CeremonyPerson> {
  const { request, store } = at
  const principal = await request.readPrincipal()
  const user = principal && (await store.getUser(principal.id))
  if (user) return { kind: 'signed in', user, mayAdd: mayAddTo(user, principal, at) }
  const info = await userInfoOf(at)
  if (!info) return { kind: 'nobody' }
  return info.exists ? { kind: 'known', user: info.user as User & { id: string } } : { kind: 'new', user: info.user }
}
