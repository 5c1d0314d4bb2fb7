import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { encode } from '@auth/core/jwt'
import { expect } from 'chai'
import { Visitor } from '../../test/support/visitor.js'
import { writeFiles } from '../support/built-example.js'
import { NEXT, type NextApplication, SECRET, SESSION, submit } from './application.js'
import { FILES, SUSPENDED, VARIANTS } from './files.js'
import { describeShop } from './shop.js'

/** Builds of the example with other files or another configuration, and its server for developers. */
export function describeBuilds(app: () => NextApplication): void {
  describe('a build', function () {
    this.timeout(600_000)
    const DIST = { DIST: '.next-variant' }
    /** A build of all routes takes twice as long, and what stops it is here. */
    const ONLY_VARIANT = ['--debug-build-paths', 'app/variant/*']
    // With cacheComponents, a page cannot say for how long it is kept.
    const TIMED = 'app/about/timed/page.tsx'
    before(() => rmSync(join(app().example.folder, TIMED), { force: true }))
    after(() => writeFiles(app().example.folder, { [TIMED]: FILES[TIMED] ?? '' }))
    afterEach(() => {
      for (const path of ['app/variant', '.next-variant'])
        rmSync(join(app().example.folder, path), { recursive: true, force: true })
    })

    for (const [title, { files, env: more = {}, says }] of Object.entries(VARIANTS)) {
      it(`stops at ${title}`, async () => {
        writeFiles(app().example.folder, files)
        expect(await build(app(), { ...more, ...DIST }, ONLY_VARIANT)).to.match(says)
      })
    }

    it('with cacheComponents makes no page with a session, which is read in <Suspense>', async () => {
      const { folder } = app().example
      const layout = join(folder, 'app/layout.tsx')
      const before = readFileSync(layout, 'utf8')
      try {
        writeFiles(folder, { 'app/layout.tsx': SUSPENDED })
        expect(await build(app(), { CACHE_COMPONENTS: 'yes', ...DIST })).to.include('Finalizing page optimization')
      } finally {
        writeFileSync(layout, before)
      }
      const variant = await app().serve({ CACHE_COMPONENTS: 'yes', ...DIST })
      try {
        const visitor = new Visitor(variant.origin)
        visitor.jar.set(SESSION, await encode({ token: { name: 'Augusta' }, secret: SECRET, salt: SESSION }))
        for (const path of ['/unguarded', '/papers', '/api/me', '/letters']) {
          expect((await visitor.get(path)).text, path).to.include('Augusta')
          expect((await new Visitor(variant.origin).get(path)).text, path).not.to.include('Augusta')
        }
      } finally {
        await variant.stop()
      }
    })
  })

  describe('next dev', () => {
    it('guards, signs in and out, with Turbopack', async function () {
      this.timeout(300_000)
      const dev = await app().serve({ NODE_ENV: 'development' }, undefined, 'dev')
      try {
        expect((await new Visitor(dev.origin).get('/papers')).status).to.equal(401)
        const visitor = new Visitor(dev.origin)
        await submit(visitor, 'quietly')
        expect((await visitor.get('/papers')).text).to.match(/Papers of (<!-- -->)?Ada/)
        expect((await submit(visitor, 'leave')).status).to.equal(303)
        expect((await visitor.get('/papers')).status).to.equal(401)
      } finally {
        await dev.stop()
      }
    })
  })

  describeShop(app, (more) => build(app(), more, ['--webpack']))
}

/** What `next build` prints. */
async function build(app: NextApplication, more: Record<string, string>, flags: string[] = []): Promise<string> {
  const options = { cwd: app.example.folder, env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...more } }
  const ran = promisify(execFile)(process.execPath, [NEXT, 'build', ...flags], options)
  const { stdout, stderr } = await ran.catch((error: { stdout: string; stderr: string }) => error)
  return stdout + stderr
}
