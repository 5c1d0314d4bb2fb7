import { expect } from 'chai'
import { oidcProvider } from '../../lib/providers/index.js'
import { checkMappedUser } from '../../lib/providers/mapped-user.js'
import type { Profile, ResolvedOAuthProvider, User } from '../../lib/providers/provider.js'
import { catalogueIds, importEntry, type ProviderFacts, providerFacts, SAMPLE_OPTIONS } from '../support/catalogue.js'
import { resolved } from '../support/oauth-driver.js'
import { pathsIn } from '../support/profile-expression.js'
import { sampleProviderData } from '../support/sample-provider-data.js'

/** What directories, consent pages and servers of one's own send in the place of a text. */
const STRANGE: readonly (readonly [string, unknown])[] = [
  ['an empty text', ''],
  ['blanks', ' \t'],
  ['null', null],
  ['a list', ['ada@example.com', 'victim@example.com']],
  ['an empty list', []],
  ['a list of nothing', [null]],
  ['an object', { value: 'ada@example.com' }],
  ['true', true],
  ['false', false],
  ['a number', 7],
  ['a long text', 'x'.repeat(70_000)],
  ['a NUL character', 'a\0b'],
  ['combining marks', `e${'\u0301'.repeat(2000)}`],
]

const CLIENT = { clientId: 'client', clientSecret: 'secret' }
const Acme = oidcProvider({ id: 'acme', name: 'Acme' })
const context = { params: {}, fetch: (async () => Response.json({})) as typeof fetch }

/** Maps a profile as a sign-in does, and checks the result against the types. */
async function map(provider: ResolvedOAuthProvider, profile: Profile): Promise<{ user: User; noted: string[] }> {
  const noted: string[] = []
  const mapped = await provider.profile(profile, { access_token: 'token' }, context)
  const { user } = checkMappedUser(provider, mapped, profile, (member) => void noted.push(member))
  for (const name of ['name', 'email', 'image'] as const) {
    const value = user[name]
    expect(value === null || value === undefined || (typeof value === 'string' && value.trim() !== ''), name).to.equal(
      true,
    )
  }
  return { user, noted }
}

/** Copies of a profile, each with another value at one place that says nothing of the id; and one with it at all those places. */
function* variants(profile: Profile, other: unknown, isOfId: (path: string) => boolean): Generator<Profile> {
  const places = placesIn(profile).filter((place) => !isOfId(place))
  for (const place of places) yield replaced(profile, other, new Set([place])) as Profile
  yield replaced(profile, other, new Set(places)) as Profile
}

/** Every place in a value, such as `data.emails`; items of lists have that of the list. */
function placesIn(value: unknown, path = ''): string[] {
  const below = Array.isArray(value)
    ? value.flatMap((each) => placesIn(each, path))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, each]) => placesIn(each, path === '' ? name : `${path}.${name}`))
      : []
  return [...new Set(path === '' ? below : [path, ...below])]
}

function replaced(value: unknown, other: unknown, places: ReadonlySet<string>, path = ''): unknown {
  if (places.has(path)) return other
  if (Array.isArray(value)) return value.map((each) => replaced(each, other, places, path))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(
    ([name, each]) => [name, replaced(each, other, places, path === '' ? name : `${path}.${name}`)] as const,
  )
  return Object.fromEntries(members)
}

/** Whether a place has, or helps to find, the id of the account. */
function partOfId(facts: ProviderFacts): (path: string) => boolean {
  const paths = ['sub', 'id', ...pathsIn(facts.profile.id)].flatMap((path) => [
    path.replaceAll(/\[[^\]]*\]|^token\./g, ''),
    path.replace(/\[\?(\w+)\].*/, '.$1'),
  ])
  return (place) => paths.some((path) => path === place || path.startsWith(`${place}.`))
}

describe('claims of a wrong type', () => {
  for (const id of catalogueIds) {
    it(`keep nobody out at ${id}, and are never shown`, async () => {
      const facts = providerFacts.get(id)
      if (!facts) throw new Error(`there are no facts of ${id}`)
      const provider = resolved((await importEntry(id))({ ...CLIENT, ...SAMPLE_OPTIONS[id] }))
      const data = sampleProviderData(facts)
      const profile: Profile = { ...('token' in data ? (data.token as object) : {}), ...data.profile }
      for (const [what, value] of STRANGE) {
        for (const variant of variants(profile, value, partOfId(facts))) {
          await map(provider, variant).catch((error: Error) => {
            throw new Error(`${what}: ${error.message} ${JSON.stringify(variant).slice(0, 300)}`, { cause: error })
          })
        }
      }
    })
  }

  it('fall back to what can be shown, and are left out with a warning if nothing can', async () => {
    const provider = resolved(Acme({ issuer: 'https://id.acme.example', ...CLIENT }))
    for (const [what, value] of STRANGE.slice(0, 7)) {
      const claims = { sub: '1', name: value, nickname: value, preferred_username: 'ada.l' } as Profile
      expect((await map(provider, claims)).user.name, what).to.equal('ada.l')
      const nameless = await map(provider, { ...claims, preferred_username: value } as Profile)
      expect(nameless.user.name ?? null, what).to.equal(null)
      expect(nameless.noted, what).to.deep.equal(typeof value === 'object' && value !== null ? ['name'] : [])
    }
    expect((await map(provider, { sub: '1', name: 7 } as unknown as Profile)).user.name).to.equal('7')
  })

  it('keep nobody out where the addresses are asked for in a second request', async () => {
    for (const [id, first] of [
      ['github', { id: 7, login: 'ada' }],
      ['bitbucket', { uuid: '{7}', account_id: '7', username: 'ada' }],
    ] as const) {
      const provider = resolved((await importEntry(id))(CLIENT))
      for (const list of [
        null,
        {},
        [],
        [null],
        'ada@example.com',
        [['ada@example.com']],
        { values: 'ada' },
        { values: [null] },
      ]) {
        const answers = (async (url: string) => Response.json(/email/.test(String(url)) ? list : first)) as typeof fetch
        const call = { tokens: { access_token: 'token' }, provider: provider.source as never, fetch: answers }
        const profile = (await provider.userinfo.request?.(call)) as Profile
        const { user } = await map(provider, profile)
        expect([user.id, user.email ?? null], `${id}: ${JSON.stringify(list)}`).to.deep.equal(['7', null])
      }
    }
  })
})
