import type { User, WebAuthnUserInfo } from '../../providers/provider.js'
import { isRecentHere } from '../../sessions/recent-auth.js'
import type { FlowRequest } from '../flow.js'
import type { WebAuthnDependencies } from './dependencies.js'
import { userInfoOf } from './hooks.js'

/** The person that a ceremony is for. */
export type CeremonyPerson =
  | { readonly kind: 'signed in'; readonly user: User & { id: string }; readonly isRecent: boolean }
  | { readonly kind: 'known'; readonly user: User & { id: string } }
  | { readonly kind: 'new'; readonly user: Omit<User, 'id'> }
  | { readonly kind: 'nobody' }

/** The person that a request's ceremony is for: the principal; without a principal, what `getUserInfo()` gives. */
export async function personOf(request: FlowRequest, dependencies: WebAuthnDependencies): Promise<CeremonyPerson> {
  const principal = await request.readPrincipal()
  const user = principal && (await dependencies.store.getUser(principal.id))
  if (user)
    return { kind: 'signed in', user, isRecent: isRecentHere(principal, dependencies.recentAuthAge, dependencies.now) }
  const info: WebAuthnUserInfo | null = await userInfoOf(request, dependencies)
  if (!info) return { kind: 'nobody' }
  return info.exists ? { kind: 'known', user: info.user as User & { id: string } } : { kind: 'new', user: info.user }
}
