import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ncc from '@vercel/ncc'
import { build, transform } from 'esbuild'
import * as vite from 'vite'
import webpack from 'webpack'

/**
 * Bundles an application with all of its packages, and minifies it.
 *
 * @param entry absolute path of the application
 * @param out folder for what the bundler writes
 * @param external packages that stay outside, because a bundle cannot have their compiled code
 * @returns the file in that folder to run
 */
export type Bundle = (entry: string, out: string, external: string[]) => Promise<string>

/** The bundlers, by name, each used as its documentation says for a program that runs in Node. */
export const BUNDLERS = {
  async esbuild(entry, out, external) {
    await build({
      entryPoints: [entry],
      outfile: join(out, 'app.cjs'),
      bundle: true,
      minify: true,
      platform: 'node',
      target: 'node20',
      external,
      logLevel: 'silent',
    })
    return 'app.cjs'
  },

  async webpack(entry, out, external) {
    const compiler = webpack({
      mode: 'production',
      target: 'node20',
      entry,
      context: dirname(entry),
      // Its own minifier takes most of the time. ncc is webpack with this minifier.
      optimization: { minimize: false },
      externals: external.map((name) => ({ [name]: `commonjs ${name}` })),
      output: { path: out, filename: 'app.cjs' },
    })
    const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) =>
      compiler?.run((error, stats) => (error ? reject(error) : resolve(stats))),
    )
    await new Promise((resolve) => compiler?.close(resolve))
    if (stats?.hasErrors()) throw new Error(stats.toString('errors-only'))
    const file = join(out, 'app.cjs')
    const { code } = await transform(readFileSync(file, 'utf8'), { minify: true, platform: 'node', target: 'node20' })
    writeFileSync(file, code)
    return 'app.cjs'
  },

  async ncc(entry, out, external) {
    const { code, assets } = await ncc(entry, { minify: true, quiet: true, cache: false, externals: external })
    for (const [file, { source }] of Object.entries(assets)) {
      mkdirSync(dirname(join(out, file)), { recursive: true })
      writeFileSync(join(out, file), source)
    }
    mkdirSync(out, { recursive: true })
    const type = entry.endsWith('.cjs') ? 'commonjs' : 'module'
    writeFileSync(join(out, 'package.json'), JSON.stringify({ type }))
    writeFileSync(join(out, 'index.js'), code)
    return 'index.js'
  },

  async Vite(entry, out, external) {
    await vite.build({
      configFile: false,
      root: dirname(entry),
      logLevel: 'silent',
      ssr: { noExternal: true, external },
      build: {
        ssr: entry,
        outDir: out,
        minify: true,
        rolldownOptions: { output: { entryFileNames: 'app.mjs', chunkFileNames: '[name]-[hash].mjs' } },
      },
    })
    return 'app.mjs'
  },
} satisfies Readonly<Record<string, Bundle>>
