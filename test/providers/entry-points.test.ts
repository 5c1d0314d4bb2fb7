import { readdirSync } from 'node:fs'
import { expect } from 'chai'
import { expressAuth } from '../../lib/index.js'
import { PROVIDER_ENTRY_POINTS } from '../../lib/providers/entry-points.js'
import manifest from '../../package.json' with { type: 'json' }
import { SECRET } from '../support/app.js'

/** The message that a configuration with this entry in its list of providers is refused with. */
function refusalOf(entry: unknown): string {
  try {
    expressAuth({ secret: SECRET, providers: [entry as never] })
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('accepted')
}

describe('the names of the providers', () => {
  it('are those that can be imported', () => {
    const folder = readdirSync(new URL('../../lib/providers/catalogue', import.meta.url))
    const named = Object.keys(manifest.exports).map((path) => /^\.\/providers\/([\w-]+)$/.exec(path)?.[1])
    const all = [...folder.map((file) => file.replace('.ts', '')), ...named.filter((name) => name !== undefined)]
    expect([...PROVIDER_ENTRY_POINTS]).to.deep.equal(all.sort())
  })

  it('are named when the list of providers has the name of one', () => {
    expect(refusalOf('github')).to.include('`providers[0]` is a string').and.include('"latchkey/providers/github"')
    expect(refusalOf('GitHub')).to.include('"latchkey/providers/github"')
    expect(refusalOf('Githup')).to.include('"latchkey/providers/github"')
    expect(refusalOf('microsoft_entra_id')).to.include('"latchkey/providers/microsoft-entra-id"')
  })

  it('never repeat what was given, which may be a secret', () => {
    expect(refusalOf('sk_live_4711')).not.to.include('4711')
  })
})
