import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import * as esbuild from 'esbuild'
import * as vite from 'vite'
import webpack from 'webpack'
import { ROOT } from '../docs/documents.js'
import { packed } from '../support/packed.js'

const run = promisify(execFile)

const CLIENT = `import { signIn, supportsPasskeys } from 'latchkey/client'
globalThis.application = { signIn, supportsPasskeys }`

const REACT = `import { createElement } from 'react'
import { SessionProvider, signIn, useSession } from 'latchkey/react'
globalThis.application = { signIn, page: () => createElement(SessionProvider, null, useSession().status) }`

/** Each bundles a page, as the documentation of the bundler says, and fails if anything is missing. */
const BUNDLERS: Readonly<Record<string, (folder: string, entry: string, out: string) => Promise<unknown>>> = {
  esbuild: (folder, entry, out) =>
    esbuild.build({
      absWorkingDir: folder,
      entryPoints: [entry],
      outdir: out,
      bundle: true,
      minify: true,
      format: 'esm',
      logLevel: 'silent',
    }),

  async webpack(folder, entry, out) {
    const compiler = webpack({ mode: 'production', context: folder, entry: `./${entry}`, output: { path: out } })
    const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) =>
      compiler?.run((error, stats) => (error ? reject(error) : resolve(stats))),
    )
    await new Promise((resolve) => compiler?.close(resolve))
    if (stats?.hasErrors() || stats?.hasWarnings()) throw new Error(stats.toString('errors-warnings'))
  },

  Vite: (folder, entry, out) =>
    vite.build({
      configFile: false,
      root: folder,
      logLevel: 'silent',
      build: { outDir: out, lib: { entry, formats: ['es'] } },
    }),
}

describe('a page that is bundled, in a project with no package for passkeys', function () {
  this.timeout(120_000)
  let folder: string

  // Vite sets it for the process that it runs in.
  const { NODE_ENV } = process.env

  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-client-')))
    const latchkey = join(folder, 'node_modules/latchkey')
    const { tarball } = await packed()
    mkdirSync(latchkey, { recursive: true })
    await run('tar', ['xzf', tarball, '-C', latchkey, '--strip-components=1'])
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'client.js'), CLIENT)
    writeFileSync(join(folder, 'react.js'), REACT)
  })
  after(() => {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = NODE_ENV
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  for (const [name, bundle] of Object.entries(BUNDLERS)) {
    it(`works with ${name}, and contains React only if latchkey/react is imported`, async () => {
      const out = join(folder, name)
      await bundle(folder, 'client.js', join(out, 'client'))
      const text = textOf(join(out, 'client'))
      expect(text).to.include('webauthn-options').and.to.include('publickey-credentials-get')
      expect(text).to.not.include('useSyncExternalStore')

      symlinkSync(join(ROOT, 'node_modules/react'), join(folder, 'node_modules/react'))
      try {
        await bundle(folder, 'react.js', join(out, 'react'))
      } finally {
        rmSync(join(folder, 'node_modules/react'))
      }
      expect(textOf(join(out, 'react'))).to.include('needs a SessionProvider around the component')
    })
  }

  it('carries "use client" where a framework with server components looks for it', () => {
    const dist = join(folder, 'node_modules/latchkey/dist')
    expect(readFileSync(join(dist, 'client/react/index.js'), 'utf8')).to.match(/^"use client";\n/)
  })

  it('runs without a bundler, too: the modules import nothing but one another', () => {
    const client = join(folder, 'node_modules/latchkey/dist/client')
    const imported = readdirSync(client)
      .filter((file) => file.endsWith('.js'))
      .flatMap((file) => [
        ...readFileSync(join(client, file), 'utf8').matchAll(/^(?:import|export) .*?from ["']([^"']+)/gm),
      ])
      .map(([, specifier]) => specifier)
    expect(imported).to.include('./errors.js')
    expect(imported.filter((specifier) => !specifier?.startsWith('./'))).to.deep.equal([])
  })
})

const textOf = (folder: string) =>
  readdirSync(folder, { encoding: 'utf8' })
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n')
