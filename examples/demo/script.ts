import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ENTRY = fileURLToPath(new URL('browser/add-passkey.ts', import.meta.url))

let bundled: Promise<string> | undefined

/** The script of the private page, bundled once. In your own application, its bundler does this. */
export function loadPasskeyScript(): Promise<string> {
  bundled ??= build({ entryPoints: [ENTRY], bundle: true, format: 'esm', target: 'es2022', write: false }).then(
    ({ outputFiles }) => outputFiles[0]?.text ?? '',
  )
  return bundled
}
