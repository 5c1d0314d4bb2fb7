import { type ProviderFacts, SAMPLE_OPTIONS } from './catalogue.js'
import type { ProviderData } from './dialect-provider.js'
import { pathsIn, place } from './profile-expression.js'

/** What the facts say of a person. */
export const PROFILE_FIELDS = ['id', 'name', 'email', 'image', 'emailVerified'] as const

/** Values that a made-up text would not do for. */
const SPECIAL: Readonly<Record<string, Record<string, unknown>>> = {
  bungie: { 'Response.bungieNetUser.profilePicturePath': '/img/1.jpg' },
  eveonline: { sub: 'CHARACTER:EVE:2112625428' },
  foursquare: { 'response.user.photo.prefix': 'https://img.example/', 'response.user.photo.suffix': '/1.jpg' },
  tumblr: { 'response.user.name': 'a-blog' },
  zoom: { verified: 1 },
}

/** Somebody of whom the provider says everything that it can. */
export function sampleProviderData(
  facts: ProviderFacts,
): ProviderData & { profile: Record<string, unknown>; extra?: object } {
  const providerData: { profile: Record<string, unknown>; extra?: object; token?: Record<string, unknown> } = {
    profile: {},
  }
  const placed = new Set<string>(Object.keys(SAMPLE_OPTIONS[facts.id] ?? {}))
  for (const field of PROFILE_FIELDS) {
    for (const path of pathsIn(facts.profile[field])) {
      if (placed.has(path)) continue
      placed.add(path)
      const texts = {
        id: facts.numericId ? 90_412_377 : `Id-${path}`,
        name: `Name ${path}`,
        email: `${path.replaceAll(/\W/g, '')}@Example.com`,
        image: `https://img.example/${path.replaceAll(/\W/g, '')}.png?size=1`,
        emailVerified: true,
      }
      place(path, SPECIAL[facts.id]?.[path] ?? texts[field], providerData)
    }
  }
  // A verified ID token needs a subject, whichever claim the account is known by.
  if (facts.type === 'oidc') providerData.profile['sub'] ??= 'the-subject'
  if (facts.id === 'wechat') providerData.token = { openid: providerData.profile['openid'] }
  if (facts.id === 'discord')
    Object.assign(providerData.profile, { discriminator: '0', avatar: 'a1', id: '803412779051458612' })
  return providerData
}
