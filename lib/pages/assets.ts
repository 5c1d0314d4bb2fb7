import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ProviderMarks } from './provider-mark.js'

/**
 * What the pages are made of, read from the files of a checkout. In the package there are no files to read: the build
 * replaces this module with one that has all texts in it (scripts/bundle.ts), so that a bundler can carry them. It is
 * imported when the first page or the script is needed.
 */

// Not by the place of this module: tests bundle it, too.
const packageFile = (path: string): URL =>
  new URL(path, pathToFileURL(createRequire(import.meta.url).resolve('latchkey/package.json')))

/** The templates and stylesheets of `views/`, by path from there: `mail/signin.eta`. */
export async function readTemplates(): Promise<Readonly<Record<string, string>>> {
  const views = packageFile('views/')
  const files = (await readdir(views, { recursive: true }))
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.(eta|css)$/.test(file))
    .sort()
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(new URL(file, views), 'utf8')]))
  return Object.fromEntries(texts) as Record<string, string>
}

/** The marks of `views/marks.json`, by provider id. */
export async function readMarks(): Promise<ProviderMarks> {
  const { marks } = JSON.parse(await readFile(packageFile('views/marks.json'), 'utf8')) as { marks: ProviderMarks }
  return marks
}

const NOTICE =
  '/* latchkey, with @simplewebauthn/browser (MIT License, https://github.com/MasterKale/SimpleWebAuthn) */'

/** The script of the sign-in page, and of passkey buttons, which reads `PASSKEY_TEXTS` and does not set it. */
export async function readScript(): Promise<string> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(packageFile('lib/client/page-script.ts'))],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    banner: { js: NOTICE },
    logLevel: 'warning',
  })
  return outputFiles.map(({ text }) => text).join('')
}
