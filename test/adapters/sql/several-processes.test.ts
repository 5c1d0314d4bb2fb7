import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { migrateToLatest, sqlAdapter } from '../../../lib/adapters/sql.js'

/** Whether another process, which opens the file and closes it again, finds somebody. */
async function isFoundElsewhere(file: string, email: string): Promise<boolean> {
  const script = `import('./lib/adapters/sql.ts').then(async ({ sqlAdapter }) => {
    const adapter = sqlAdapter({ sqlite: ${JSON.stringify(file)} })
    console.log((await adapter.getUserByEmail(${JSON.stringify(email)})) !== null)
    await adapter.close()
  })`
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '--eval', script])
  return stdout.trim() === 'true'
}

describe('a SQLite file that several processes use', () => {
  it('keeps what is written after another process has closed it, also where this process has migrated it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-processes-'))
    const file = join(folder, 'auth.db')
    try {
      await migrateToLatest({ sqlite: file })
      const adapter = sqlAdapter({ sqlite: file })
      await adapter.createUser({ id: '1', email: 'ada@example.com', emailVerified: null })
      expect(await isFoundElsewhere(file, 'ada@example.com')).to.equal(true)
      expect(existsSync(`${file}-wal`), 'the log stays').to.equal(true)
      await adapter.createUser({ id: '2', email: 'eve@example.com', emailVerified: null })
      expect(await isFoundElsewhere(file, 'eve@example.com')).to.equal(true)
      await adapter.close()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
