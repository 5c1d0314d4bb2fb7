import { execFile } from 'node:child_process'
import { scryptSync } from 'node:crypto'
import { promisify } from 'node:util'
import { expect } from 'chai'

describe('the hash of a password', () => {
  it('PWD-07: is scrypt with the work that its text says, and what it says is what OWASP asks for', async () => {
    const password = 'copper lantern under seven bridges'
    // The processes of the tests hash with less work (`test/support/cheap-hashes.ts`).
    const script = `import('./lib/features/password/hash.ts').then(async ({ hashPassword }) => console.log(await hashPassword('${password}')))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '--eval', script])
    const [, ln, r, p, salt = '', hash = ''] =
      /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)\n$/.exec(stdout) ?? []
    expect([ln, r, p]).to.deep.equal(['15', '8', '3'])
    const settings = { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 }
    const key = scryptSync(password, Buffer.from(salt, 'base64'), 32, settings)
    expect(Buffer.from(hash, 'base64').equals(key)).to.equal(true)
  })
})
