import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, usableEmail } from '../profile-mapping.js'

/** What Discord says of the signed-in user; the members that are read. */
export interface DiscordProfile {
  id: string
  username: string
  discriminator: string
  global_name?: string | null
  /** Hash of the picture; it begins with `a_` when it moves. */
  avatar?: string | null
  email?: string | null
  verified?: boolean
}

/**
 * Sign-in with Discord.
 *
 * The address is null when the account has none. `prompt: "none"` in the parameters skips the question for people
 * who agreed before.
 *
 * @see https://discord.com/developers/docs/topics/oauth2
 */
export default oauthProvider<DiscordProfile>({
  id: 'discord',
  name: 'Discord',
  issuer: 'https://discord.com',
  authorization: 'https://discord.com/oauth2/authorize',
  scopes: ['identify', 'email'],
  token: 'https://discord.com/api/oauth2/token',
  userinfo: 'https://discord.com/api/users/@me',
  verifiedEmail: ({ email, verified }) => (verified === true ? email : null),
  profile: (profile) => ({
    id: accountId(profile.id),
    name: firstText(profile.global_name, profile.username),
    email: usableEmail(profile.email, profile.verified),
    image: pictureOf(profile),
  }),
  /** @see https://discord.com/developers/docs/topics/oauth2 */
  tokenFacts: {
    refresh: 'always',
    accessTokenSeconds: 604_800,
    revocation: { url: 'https://discord.com/api/oauth2/token/revoke', dialect: 'rfc7009' },
    endSession: 'none',
  },
  style: { brandColor: '#5865f2' },
})

/** The picture, or the one of six that Discord shows to people without. */
function pictureOf({ id, avatar, discriminator }: DiscordProfile): string {
  if (typeof avatar === 'string' && avatar !== '')
    return `https://cdn.discordapp.com/avatars/${id}/${avatar}.${avatar.startsWith('a_') ? 'gif' : 'png'}`
  // Ids are 64 bits wide, more than a number can hold.
  const index = discriminator === '0' ? (BigInt(id) >> 22n) % 6n : Number(discriminator) % 5 || 0
  return `https://cdn.discordapp.com/embed/avatars/${index}.png`
}
