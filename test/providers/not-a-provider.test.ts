import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import GitHub, * as GitHubModule from '../../lib/providers/catalogue/github.js'
import { CATALOGUE_NAMES } from '../../lib/providers/check-provider.js'
import { oidcProvider } from '../../lib/providers/oauth-provider.js'
import { testConfig } from '../support/app.js'

const CLIENT = { clientId: 'client', clientSecret: 'secret' }

/** The message that a configuration with these providers is refused with. */
function refusal(providers: unknown): string {
  try {
    resolveConfig({ ...testConfig(), providers: providers as never }, { env: readEnv({}), now: Date.now })
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('accepted')
}

describe('an entry of the list that is no provider', () => {
  class Acme {
    readonly id = 'acme'
  }
  for (const [what, wrong, cause] of [
    [
      'an import that is undefined',
      undefined,
      /is undefined; .* misspelt, or stands in braces.* import GitHub from "latchkey\/providers\/github"/,
    ],
    [
      'a whole module',
      GitHubModule,
      /is a module; .*import GitHub from "latchkey\/providers\/github", without "\* as"/,
    ],
    ['what `require` gives in some bundlers', { default: GitHub }, /is an object with a default.*Give its default/],
    ['a name', 'github', /is a string; .*"github"\? Import it: import GitHub from "latchkey\/providers\/github"/],
    ['a misspelt name', 'gihub', /is a string; .*Do you mean the provider "github"\?/],
    [
      'another misspelt name',
      'MicrosoftEntraID',
      /import MicrosoftEntraId from "latchkey\/providers\/microsoft-entra-id"/,
    ],
    ['a class', Acme, /is a function that threw: Class constructor Acme cannot be invoked without 'new'/],
    ['a function that makes provider functions', oidcProvider, /is a function that gives a function; .*Call it first/],
    [
      'a function without a result',
      () => undefined,
      /is a function that gives undefined; .*Let it return the provider/,
    ],
    [
      'the options of a provider',
      CLIENT,
      /has options of a provider, and no id.*GitHub\(\{ clientId, clientSecret \}\)/,
    ],
    ['a provider in braces', { github: GitHub }, /is an object around a provider\. Write the provider itself/],
    ['a misspelt type', { id: 'acme', type: 'odic' }, /has the type "odic".*Did you mean "oidc"\?/],
    ['an id of the catalogue, and no type', { ...CLIENT, id: 'googel' }, /Do you mean the provider "google"\?/],
  ] as const) {
    it(`is named with its place and the probable cause: ${what}`, () => {
      const message = refusal([GitHub(CLIENT), wrong])
      expect(message).to.match(cause)
      expect(message).to.match(/`providers\[1\]`|Provider "(acme|googel)"/)
    })
  }

  it('is not quoted, because it may be a secret that was pasted in the wrong place', () => {
    const message = refusal(['s3cr3t-of-the-client'])
    expect(message).to.include('is a string').and.not.include('s3cr3t')
  })

  it('stands alone, without a list', () => {
    for (const alone of [GitHub, GitHub(CLIENT), { GitHub }])
      expect(refusal(alone)).to.include('must be a list of providers. Write it in a list: providers: [GitHub].')
  })
})

describe('the names of the catalogue', () => {
  it('are those of the modules that can be imported', () => {
    const file = new URL('../../package.json', import.meta.url)
    const { exports } = JSON.parse(readFileSync(file, 'utf8')) as { exports: Record<string, unknown> }
    const single = Object.keys(exports).flatMap((path) => /^\.\/providers\/([^*]+)$/.exec(path)?.[1] ?? [])
    const modules = readdirSync(new URL('../../lib/providers/catalogue', import.meta.url))
    const expected = [...single, ...modules.map((name) => name.replace(/\.ts$/, ''))].sort()
    expect([...CATALOGUE_NAMES].sort()).to.deep.equal(expected)
  })
})
