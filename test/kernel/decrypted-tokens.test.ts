import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { createSessionJwtCodec } from '../../lib/sessions/session-jwt.js'
import { SECRET } from '../support/app.js'
import { tokenWith } from '../support/tokens.js'

const SALT = 'authjs.session-token'
const NOW = Date.parse('2031-05-04T03:02:01.000Z')

describe('the cache of decrypted session tokens', () => {
  it('remembers few large tokens, and as many usual ones as its size allows', async function () {
    this.timeout(120_000)
    const COUNT = 1000
    const rememberedOf = async (claims: object) => {
      const codec = createSessionJwtCodec([SECRET], SALT, () => NOW, COUNT)
      const lifetime = { issuedAt: NOW / 1000, expiresAt: NOW / 1000 + 60 }
      const firstClaims = new Map<string, unknown>()
      const claimIn = async (token: string) => (await codec.decode(token))?.sessionClaim
      for (let n = 0; n < COUNT; n += 1) {
        const token = await codec.encode(tokenWith({ ...claims, n }), lifetime)
        firstClaims.set(token, await claimIn(token))
      }
      // A remembered token has the very claim object of its first decryption. The newest come first, since decrypting others
      // removes the oldest.
      let characters = 0
      let count = 0
      for (const [token, claim] of [...firstClaims].reverse()) {
        if ((await claimIn(token)) !== claim) continue
        count += 1
        characters += token.length
      }
      return { count, characters }
    }
    const usual = await rememberedOf({ name: 'Ada', email: 'ada@example.com', sub: crypto.randomUUID() })
    expect(usual.count).to.be.within(COUNT / 2, COUNT)
    const large = await rememberedOf({ weight: 'x'.repeat(9000) })
    expect(large.count).to.be.within(20, 100)
    expect(large.characters).to.be.below(COUNT * 1024)
  })

  it('keeps the token, and not the header that it came in', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const remembering = createSessionJwtCodec([SECRET], SALT, () => NOW)
    const lifetime = { issuedAt: NOW / 1000, expiresAt: NOW / 1000 + 60 }
    const tokens: string[] = []
    for (let n = 0; n < 500; n += 1) tokens.push(await remembering.encode(tokenWith({ n }), lifetime))
    collect()
    const before = process.memoryUsage().heapUsed
    for (const token of tokens) {
      const header = Buffer.from(`${SALT}=${token}; other=${'x'.repeat(12_000)}`).toString('latin1')
      remembering.decode(header.slice(SALT.length + 1, SALT.length + 1 + token.length))
    }
    collect()
    expect((process.memoryUsage().heapUsed - before) / tokens.length, 'bytes for each').to.be.below(4000)
    expect(remembering.decode(tokens[0] ?? '')).not.to.equal(null)
  })
})
