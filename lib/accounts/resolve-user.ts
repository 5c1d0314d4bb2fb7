import type { Adapter, AdapterAccount, AdapterAuthenticator, AdapterUser } from '../adapters/adapter.js'
import { type AdapterCalls, adapterCalls } from '../adapters/adapter-calls.js'
import { AccountNotLinked, AdapterError, OAuthAccountNotLinked, withoutDetails } from '../errors.js'
import type { LoggerInstance } from '../logger.js'
import type { Account, AccountCallback, User } from '../providers/provider.js'
import type { SessionHolder } from '../sessions/strategy.js'
import { decideLink, type LinkFacts } from './decide-link.js'

/** Somebody who has just come back from a provider, and what is needed to find or make their user. */
export interface Claim {
  readonly user: User & { id: string }
  readonly account: Account
  /** For OAuth and OpenID Connect: how the account may be linked, and what of its tokens is stored. */
  readonly linking?: { readonly emailTrusted: boolean; readonly storedTokens: AccountCallback }
  readonly passkey?: PasskeyClaim
}

/** What was done with a passkey: it was proved, and the claim's user is its owner; or it was made, and is to be stored. */
export type PasskeyClaim =
  | { readonly ceremony: 'authenticate' }
  | {
      readonly ceremony: 'register'
      /** Id of the user who was signed in when it was begun; null for somebody who signs up. */
      readonly forUser: string | null
      readonly authenticator: Omit<AdapterAuthenticator, 'userId'>
    }

/** The user that a claim belongs to. */
export interface ResolvedUser {
  readonly user: User & { id: string }
  readonly account: Account
  /** Undefined when nobody keeps users. */
  readonly isNewUser: boolean | undefined
}

/** Who is signed in in the browser that a claim comes from. */
export type HolderLookup = () => Promise<SessionHolder | null>

/** THE identity resolver: the only place that finds, makes and links users. */
export interface IdentityResolver {
  /** The stored user of a known account, for the `signIn` callback; null when there is none. */
  known(claim: Claim): Promise<User | null>
  /**
   * Carries the linking decision out.
   *
   * @throws {OAuthAccountNotLinked} when it would give one person's account to another; {@link AccountNotLinked} for a passkey
   */
  resolve(claim: Claim, holder: HolderLookup): Promise<ResolvedUser>
}

/** Without an adapter nothing is stored: whoever a provider names is the user, under a new id each time. */
export const withoutStore: IdentityResolver = {
  known: async () => null,
  // Credentials never make a user; of others nobody can know whether they are new.
  resolve: async ({ user, account }) => ({
    user,
    account,
    isNewUser: account.type === 'credentials' ? false : undefined,
  }),
}

/** The adapter methods that users and accounts need. */
const USER_METHODS = [
  'createUser',
  'getUser',
  'getUserByEmail',
  'getUserByAccount',
  'updateUser',
  'linkAccount',
] as const

const PASSKEY_METHODS = [
  'listAuthenticatorsByUserId',
  'deleteAuthenticator',
  'listAccountsByUserId',
  'unlinkAccount',
] as const

/** What the resolver needs of a configuration. */
export interface ResolverSettings {
  readonly adapter: Adapter
  /** Whether sessions are rows that point to a stored user, as with the database strategy. */
  readonly sessionsNeedUser: boolean
  /** Whether people sign in with passkeys, so that the store has them. */
  readonly hasPasskeys: boolean
  /** Tells an event. */
  readonly tell: {
    createUser(user: User): Promise<void>
    updateUser(user: User): Promise<void>
    linkAccount(user: User, account: Account, profile: User): Promise<void>
  }
  readonly logger: LoggerInstance
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** How long a sign-in waits for a parallel one that has just made the user and is about to link the account. */
const RACE_WAITS_MS = [10, 20, 40, 80, 160, 320, 640]

/** The same before a refusal, which somebody is waiting for. */
const REFUSAL_WAITS_MS = [10, 20, 40, 80, 160]

/** The resolver over an adapter. */
export function createIdentityResolver(settings: ResolverSettings): IdentityResolver {
  const { adapter, sessionsNeedUser, hasPasskeys, tell, logger, now } = settings
  const users: AdapterCalls<(typeof USER_METHODS)[number]> = adapterCalls(adapter, USER_METHODS, 'keeping users')
  const unconfirmed = adapterCalls(adapter, PASSKEY_METHODS, 'ending passkeys that nobody confirmed')
  const inOrder = createQueue()

  // Adapters made for Auth.js may say nothing in place of null, and nobody must be taken for somebody.
  const byAccount = async ({ provider, providerAccountId }: Account): Promise<AdapterUser | null> =>
    (await users.getUserByAccount({ provider, providerAccountId })) ?? null
  const byEmail = async (email: string): Promise<AdapterUser | null> => (await users.getUserByEmail(email)) ?? null

  /** Whoever is signed in, as stored. */
  const holdingOf = async (holder: HolderLookup): Promise<AdapterUser | null> => {
    const held = await holder()
    return held && ((await users.getUser(held.id)) ?? null)
  }

  const resolveOAuth = async (claim: Claim, holder: HolderLookup): Promise<ResolvedUser> => {
    const holding = await holdingOf(holder)
    const owner = await byAccount(claim.account)
    const facts: Omit<LinkFacts, 'emailTaken'> = {
      account: owner === null ? 'unknown' : owner.id === holding?.id ? 'mine' : 'of another',
      signedIn: holding !== null,
      emailTrusted: claim.linking?.emailTrusted ?? false,
    }
    const { email } = claim.user
    const isUndecided = facts.account === 'unknown' && !facts.signedIn
    const namesake = isUndecided && email ? await byEmail(email) : null
    switch (decideLink({ ...facts, emailTaken: namesake !== null })) {
      case 'sign-in':
        return resolved(claim, owner ?? holding, false)
      case 'link-to-session':
        return linkTo(claim, holding)
      case 'link-by-email':
        return resolved(claim, await link(claim, namesake), false)
      case 'create':
        return create(claim)
      case 'refuse':
        return refuse(claim, namesake)
    }
  }

  /** Links the account. Gives whose it is: another user when a parallel sign-in was quicker. */
  const link = async (claim: Claim, user: AdapterUser | null): Promise<AdapterUser> => {
    if (!user) throw new AdapterError('The user to link an account to is gone.')
    try {
      await users.linkAccount(storedAccount(claim, user.id))
    } catch (error) {
      const owner = await byAccount(claim.account)
      if (owner) return owner
      throw error
    }
    await tell.linkAccount(user, storedTokens(claim), claim.user)
    return user
  }

  const linkTo = async (claim: Claim, holding: AdapterUser | null): Promise<ResolvedUser> => {
    const owner = await link(claim, holding)
    if (owner.id !== holding?.id) throw notLinked(claim.account)
    return resolved(claim, owner, false)
  }

  /** Makes the user and links the account. Two first sign-ins at once end with one user: whoever comes second finds the first's. */
  const create = async (claim: Claim): Promise<ResolvedUser> => {
    const fields = { ...claim.user, email: claim.user.email ?? null, emailVerified: null } as unknown as AdapterUser
    let made: AdapterUser
    try {
      made = await users.createUser(fields)
    } catch (error) {
      const first = await appearing(claim.account, RACE_WAITS_MS)
      if (!first) throw error
      return resolved(claim, first, false)
    }
    await tell.createUser(made)
    let owner: AdapterUser | undefined
    try {
      owner = await link(claim, made)
    } finally {
      // A user without the account could never sign in, and would keep the address from whoever tries again.
      if (owner?.id !== made.id) await removeUser(made.id)
    }
    return resolved(claim, owner, owner.id === made.id)
  }

  /** Removes a user who was made in vain, where the adapter can. That it cannot is not what went wrong. */
  const removeUser = async (id: string): Promise<void> => {
    try {
      await adapter.deleteUser?.(id)
    } catch (error) {
      logger.error(
        new AdapterError('A user who was made in vain could not be removed.', { err: withoutDetails(error) }),
      )
    }
  }

  /** Refuses, unless the user with the address was made a moment ago by a parallel first sign-in that has yet to link the account. */
  const refuse = async (claim: Claim, namesake: AdapterUser | null): Promise<ResolvedUser> => {
    const mayBeNew = namesake !== null && !namesake.emailVerified
    const first = mayBeNew ? await appearing(claim.account, REFUSAL_WAITS_MS) : null
    if (!first) throw notLinked(claim.account)
    return resolved(claim, first, false)
  }

  /** The owner of an account that a parallel sign-in, perhaps in another process, is about to link; null when none does. */
  const appearing = async (account: Account, waits: readonly number[]): Promise<AdapterUser | null> => {
    for (const wait of [0, ...waits]) {
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      const user = await byAccount(account)
      if (user) return user
    }
    return null
  }

  /**
   * Ends the passkeys of a user whose address nobody had confirmed. Whoever signed up with somebody else's address would otherwise come
   * back once that person confirms it (ACCT-05). Who is signed in as that user while confirming made the passkeys, and keeps them.
   */
  const endUnconfirmedPasskeys = async (userId: string, holder: HolderLookup): Promise<void> => {
    if (!adapter.deleteAuthenticator || (await holder())?.id === userId) return
    for (const { credentialID } of await unconfirmed.listAuthenticatorsByUserId(userId)) {
      await unconfirmed.deleteAuthenticator(credentialID)
    }
    if (!adapter.listAccountsByUserId || !adapter.unlinkAccount) return
    for (const { type, provider, providerAccountId } of await unconfirmed.listAccountsByUserId(userId)) {
      if (type === 'webauthn') await unconfirmed.unlinkAccount({ provider, providerAccountId })
    }
  }

  const resolveEmail = async (claim: Claim, holder: HolderLookup): Promise<ResolvedUser> => {
    const address = claim.account.providerAccountId
    const known = await byEmail(address)
    if (known) return confirm(claim, known, holder)
    let made: AdapterUser
    try {
      made = await users.createUser({ ...claim.user, email: address, emailVerified: new Date(now()) })
    } catch (error) {
      const first = await byEmail(address)
      if (!first) throw error
      return confirm(claim, first, holder)
    }
    await tell.createUser(made)
    return resolved(claim, made, true)
  }

  const confirm = async (
    claim: Claim,
    { id, emailVerified }: AdapterUser,
    holder: HolderLookup,
  ): Promise<ResolvedUser> => {
    if (emailVerified === null && hasPasskeys) await endUnconfirmedPasskeys(id, holder)
    const user = await users.updateUser({ id, emailVerified: emailVerified ?? new Date(now()) })
    await tell.updateUser(user)
    return resolved(claim, user, false)
  }

  const passkeys = adapterCalls(adapter, ['getAuthenticator', 'createAuthenticator'], 'registering a passkey')

  const resolvePasskey = async (claim: Claim, holder: HolderLookup): Promise<ResolvedUser> => {
    const { passkey } = claim
    if (passkey?.ceremony === 'register') return registerPasskey(claim, passkey, holder)
    const holding = await holdingOf(holder)
    const owner = await byAccount(claim.account)
    // A passkey proves who its owner is, and makes nobody: one that was removed meanwhile signs nobody in.
    if (!owner || !isSame(owner, claim.user) || (holding && !isSame(owner, holding))) throw notLinked(claim.account)
    return resolved(claim, owner, false)
  }

  /** Adds a new passkey to whoever is signed in, or makes the user that it is the first of. */
  const registerPasskey = async (
    claim: Claim,
    { forUser, authenticator }: Extract<PasskeyClaim, { ceremony: 'register' }>,
    holder: HolderLookup,
  ): Promise<ResolvedUser> => {
    const holding = await holdingOf(holder)
    if ((holding === null ? null : String(holding.id)) !== forUser) throw notLinked(claim.account)
    // Nothing proves that a new passkey is not another's with the same id, so it can never stand for one that is there (WEBAUTHN-11).
    if (await byAccount(claim.account)) throw notLinked(claim.account)
    if (await passkeys.getAuthenticator(authenticator.credentialID)) throw notLinked(claim.account)
    if (holding) {
      await addPasskey(claim, authenticator, holding)
      return resolved(claim, holding, false)
    }
    const { id: _, ...fields } = claim.user
    if (fields.email && (await byEmail(fields.email))) throw notLinked(claim.account)
    const made = await users.createUser(fields as AdapterUser).catch(async (error: unknown) => {
      // Somebody else may have signed up with the address at the same moment.
      if (fields.email && (await byEmail(fields.email))) throw notLinked(claim.account)
      throw error
    })
    await tell.createUser(made)
    try {
      await addPasskey({ ...claim, user: made }, authenticator, made)
    } catch (error) {
      await removeUser(made.id)
      throw error
    }
    return resolved(claim, made, true)
  }

  /** Links the account and stores the passkey: both or neither. */
  const addPasskey = async (
    claim: Claim,
    authenticator: Omit<AdapterAuthenticator, 'userId'>,
    user: AdapterUser,
  ): Promise<void> => {
    const { provider, providerAccountId } = claim.account
    await link(claim, user)
    try {
      await passkeys.createAuthenticator({ ...authenticator, userId: user.id })
    } catch (error) {
      try {
        await adapter.unlinkAccount?.({ provider, providerAccountId })
      } catch (fault) {
        logger.error(
          new AdapterError('The account of a passkey that was not stored stays.', { err: withoutDetails(fault) }),
        )
      }
      throw error
    }
  }

  /** Credentials are the application's own: it knows its users, and Latchkey makes none. */
  const resolveCredentials = async (claim: Claim): Promise<ResolvedUser> => {
    if (sessionsNeedUser && !(await users.getUser(claim.user.id))) {
      throw new AdapterError(
        'authorize() gave the id of no stored user. With stored sessions it must give a user that the adapter has, with its id.',
      )
    }
    return { user: claim.user, account: claim.account, isNewUser: false }
  }

  return {
    known: ({ account }) => (isOAuth(account) ? byAccount(account) : Promise.resolve(null)),
    resolve(claim, holder) {
      const { account } = claim
      if (isOAuth(account)) {
        return inOrder(`${account.provider} ${account.providerAccountId}`, () => resolveOAuth(claim, holder))
      }
      if (account.type === 'webauthn') {
        return inOrder(`${account.provider} ${account.providerAccountId}`, () => resolvePasskey(claim, holder))
      }
      if (account.type === 'email')
        return inOrder(`email ${account.providerAccountId}`, () => resolveEmail(claim, holder))
      return resolveCredentials(claim)
    },
  }
}

/** Some stores number their users, and some callers have the number as text. */
const isSame = (one: { id: unknown }, other: { id: unknown }) => String(one.id) === String(other.id)

const isOAuth = ({ type }: Account) => type === 'oauth' || type === 'oidc'

function resolved({ account }: Claim, user: AdapterUser | null, isNewUser: boolean): ResolvedUser {
  if (!user) throw new AdapterError('The user of an account is gone.')
  return { user, account: { ...account, userId: user.id }, isNewUser }
}

const notLinked = ({ type, provider }: Account) => {
  const message = `The account at "${provider}" cannot be linked: it, or its e-mail address, belongs to another user.`
  return type === 'webauthn' ? new AccountNotLinked(message) : new OAuthAccountNotLinked(message)
}

/** The account as it is told of: what `account()` keeps of the tokens, and whose it is at the provider. */
function storedTokens({ account, linking }: Claim): Account {
  const { provider, providerAccountId, type, userId: _, ...tokens } = account
  const kept = Object.entries(linking?.storedTokens(tokens) ?? {})
  const present = kept.filter(([name, value]) => name !== 'userId' && value !== undefined)
  return { ...Object.fromEntries(present), provider, providerAccountId, type }
}

const storedAccount = (claim: Claim, userId: string) => ({ ...storedTokens(claim), userId }) as AdapterAccount

/** Runs work of one key one after the other, and of different keys at once. */
function createQueue() {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve()
    const run = before.then(work, work)
    const settled = run.catch(() => undefined)
    last.set(key, settled)
    try {
      return await run
    } finally {
      if (last.get(key) === settled) last.delete(key)
    }
  }
}
