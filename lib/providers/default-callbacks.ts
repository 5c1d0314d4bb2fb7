import { withoutUndefined } from '../kernel/objects.js'
import { firstText } from './profile-mapping.js'
import type { Profile, TokenSet, User } from './provider.js'

/** The user of a profile with the claims of OpenID Connect: `sub` (or `id`), `name`, `email`, `picture`. Absent ones are left out. */
export const defaultProfile = (profile: Profile): User =>
  withoutUndefined({
    id: profile.sub ?? profile.id ?? undefined,
    name: firstText(profile.name, profile.nickname, profile.preferred_username) ?? undefined,
    email: profile.email,
    image: profile.picture,
  })

/** The tokens that are stored with an account by default. */
export const defaultAccount = (tokens: TokenSet): TokenSet =>
  withoutUndefined({
    access_token: tokens.access_token,
    id_token: tokens.id_token,
    refresh_token: tokens.refresh_token,
    expires_at: tokens.expires_at,
    scope: tokens.scope,
    token_type: tokens.token_type,
    session_state: tokens.session_state,
  })
